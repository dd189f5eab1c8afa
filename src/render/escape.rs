//! Escaping: what a user wrote, as text of HTML.
//!
//! What it must not know: what the text is, where on a page it stands. What it writes may stand between tags and
//! between the quotes of an attribute.
//! Invariants: in what is written no character has a meaning in HTML; odd characters are shown as [`odd`] says.
//! Stripped of tags and unescaped it is the text again, odd characters apart. A text grows at most fivefold.
//! Cost: about a ns a byte.

use std::fmt;

use crate::render::odd::{Odd, odd};

/// Which bytes begin a character that may not be written as it is. Of the multi-byte characters only the odd ones
/// matter, which all begin with 0xC2, 0xE2, or 0xEF and above.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        stops[byte] = true;
        byte += 1;
    }
    stops[b'\t' as usize] = false;
    stops[b'\n' as usize] = false;
    stops[0x7f] = true;
    stops[0xc2] = true;
    stops[0xe2] = true;
    byte = 0xef;
    while byte < 0xf5 {
        stops[byte] = true;
        byte += 1;
    }
    stops[b'&' as usize] = true;
    stops[b'<' as usize] = true;
    stops[b'>' as usize] = true;
    stops[b'"' as usize] = true;
    stops[b'\'' as usize] = true;
    stops
};

/// Writes text as HTML: whole runs of harmless characters, the five of HTML escaped, odd ones shown.
pub(crate) fn write_text(text: &str, out: &mut (impl fmt::Write + ?Sized)) -> fmt::Result {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !STOPS[usize::from(byte)] {
            continue;
        }
        // A byte of the table is never inside a character, so `at` is a boundary.
        let Some(c) = text[at..].chars().next() else {
            continue;
        };
        let escape = escape(c);
        let odd = odd(c);
        if escape.is_none() && odd.is_none() {
            continue;
        }
        out.write_str(&text[written..at])?;
        match odd {
            Some(Odd::Picture(picture)) => out.write_char(picture)?,
            Some(Odd::Number(code)) => write!(out, "<i>[U+{code:04X}]</i>")?,
            None => out.write_str(escape.unwrap_or_default())?,
        }
        written = at + c.len_utf8();
    }
    out.write_str(&text[written..])
}

/// The five characters with a meaning in HTML, as askama writes them.
fn escape(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&#38;"),
        '<' => Some("&#60;"),
        '>' => Some("&#62;"),
        '"' => Some("&#34;"),
        '\'' => Some("&#39;"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn html(text: &str) -> String {
        let mut html = String::new();
        write_text(text, &mut html).expect("a string takes everything");
        html
    }

    #[test]
    fn the_five_characters_of_html_are_escaped() {
        assert_eq!(
            html("</script><script>\"'&"),
            "&#60;/script&#62;&#60;script&#62;&#34;&#39;&#38;"
        );
    }

    #[test]
    fn odd_characters_are_seen_and_harmless() {
        assert_eq!(
            html("a\0\u{1b}\rb\u{202e}c\u{2066}\u{fffe}\u{1ffff}𝄞"),
            "a␀␛␍b<i>[U+202E]</i>c<i>[U+2066]</i><i>[U+FFFE]</i><i>[U+1FFFF]</i>𝄞"
        );
    }

    proptest! {
        #[test]
        fn a_text_grows_at_most_fivefold(text in "[<>&\"'a\0\u{202e}\u{fffe}\u{10fffe}]{1,60}") {
            prop_assert!(html(&text).len() <= 5 * text.len());
        }
    }
}
