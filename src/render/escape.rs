//! Escaping: turns text of a user into HTML. The result is safe between tags and in quoted attribute values.
//!
//! Invariants: no character of the user has a meaning in HTML. Unsafe characters are replaced by their visible form,
//! see [`crate::render::unsafe_char`]. Unescaping the output gives the text again, except for unsafe characters. The
//! output is at most five times as long as the text.
//! Cost: about 1 ns per byte.

use std::fmt;

use crate::render::unsafe_char::{UnsafeChar, unsafe_char_at};

/// True for each byte that can start a character that may need an escape. The unsafe multi-byte characters start with
/// 0xC2, 0xCD, 0xE1 to 0xE3, or a byte from 0xEF on.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let mut byte = u8::MAX;
    while byte > 0 {
        byte -= 1;
        stops[byte as usize] = match byte {
            b'\t' | b'\n' => false,
            b'&' | b'<' | b'>' | b'"' | b'\'' => true,
            0x7f | 0xc2 | 0xcd | 0xe1..=0xe3 | 0xef..=0xf4 => true,
            _ => byte < 0x20,
        };
    }
    stops
};

/// Writes text as escaped HTML. Runs of characters that need no escape are copied at once.
pub(crate) fn write_text(text: &str, out: &mut (impl fmt::Write + ?Sized)) -> fmt::Result {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        // A run was written whole.
        if !STOPS[usize::from(byte)] || at < written {
            continue;
        }
        let c = text[at..].chars().next();
        let c = c.expect("a byte of the table starts a character");
        let (entity, unsafe_char) = (entity(c), unsafe_char_at(text, at, c));
        if entity.is_none() && unsafe_char.is_none() {
            continue;
        }
        out.write_str(&text[written..at])?;
        match unsafe_char {
            Some(UnsafeChar::Picture(picture)) => out.write_char(picture)?,
            Some(UnsafeChar::CodePoint(code)) => {
                let run = text[at..].chars().take_while(|next| *next == c).count();
                written = at + run * c.len_utf8();
                match run {
                    1 => write!(out, "<i>[U+{code:04X}]</i>")?,
                    _ => write!(out, "<i>[U+{code:04X} ×{run}]</i>")?,
                }
                continue;
            }
            None => out.write_str(entity.expect("an entity or an unsafe character"))?,
        }
        written = at + c.len_utf8();
    }
    out.write_str(&text[written..])
}

/// The most elements of a page that are for invisible characters.
const MOST_MARKED: usize = 20_000;

/// Leaves out the elements of invisible characters after the first [`MOST_MARKED`].
pub(super) fn bound_marked(html: &mut String) {
    const START: &str = "<i>[U+";
    let Some((bound, _)) = html.match_indices(START).nth(MOST_MARKED) else {
        return;
    };
    let rest = html.split_off(bound);
    for part in rest.split(START).skip(1) {
        match part.split_once("</i>") {
            Some((code, rest)) if !code.contains('<') => html.extend(["[U+", code, rest]),
            _ => html.extend([START, part]),
        }
    }
}

/// Returns the HTML entity of a character that has a meaning in HTML, or `None` for other characters. Askama, the
/// template engine, writes the same entities.
fn entity(c: char) -> Option<&'static str> {
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
    use crate::render::unsafe_char::unsafe_char;

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
    fn unsafe_characters_are_visible_and_harmless() {
        assert_eq!(
            html("a\0\u{1b}\rb\u{202e}c\u{2066}\u{fffe}\u{1ffff}𝄞"),
            "a␀␛␍b<i>[U+202E]</i>c<i>[U+2066]</i><i>[U+FFFE]</i><i>[U+1FFFF]</i>𝄞"
        );
    }

    #[test]
    fn a_run_of_an_invisible_character_is_one_element_with_their_number() {
        assert_eq!(
            html("a\u{200b}\u{200b}\u{200b}b\u{200b}\u{feff}\u{feff}<"),
            "a<i>[U+200B ×3]</i>b<i>[U+200B]</i><i>[U+FEFF ×2]</i>&#60;"
        );
        let [england, hidden] = [
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{e0067}",
        ];
        assert_eq!(html(england), england);
        assert_eq!(
            html(&[england, hidden, hidden].concat()),
            format!("{england}<i>[U+E0067 ×2]</i>")
        );
    }

    #[test]
    fn elements_of_invisible_characters_are_left_out_after_the_20_000th() {
        let own = "<i>[U+<b>x</b></i>";
        let mut page = [html(&"a\u{200b}".repeat(MOST_MARKED + 2)), own.to_owned()].concat();
        let before = page.clone();
        bound_marked(&mut page);
        let left_out = ["a[U+200B]a[U+200B]", own].concat();
        assert!(page.ends_with(&left_out) && before.len() - page.len() == 2 * "<i></i>".len());
        assert_eq!(page.matches("<i>[U+200B]</i>").count(), MOST_MARKED);
    }

    #[test]
    fn every_unsafe_character_is_found_by_its_first_byte() {
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let is_changed = html(&text) != text;
            assert_eq!(
                is_changed,
                entity(c).is_some() || unsafe_char(c).is_some(),
                "{c:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_text_grows_at_most_fivefold(text in "[<>&\"'a\0\u{ad}\u{34f}\u{200b}\u{202e}\u{fffe}\u{e0041}\u{10fffe}]{1,60}") {
            prop_assert!(html(&text).len() <= 5 * text.len());
        }
    }
}
