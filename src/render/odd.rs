//! Odd characters: those that would make a text read as something else than it is.
//!
//! Three kinds: control characters (a browser drops, moves or replaces them); the characters that embed, override or
//! isolate a writing direction (with them source code can read in another order than it runs, CVE-2021-42574); and
//! noncharacters (nobody sees them, and HTML may not hold them). Marks of direction (U+200E, U+200F, U+061C) stay:
//! right-to-left text needs them, and they reorder only their neighbours.
//! What it must not know: HTML. What it makes of a character is text that its user still escapes.

use std::borrow::Cow;

/// How an odd character is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Odd {
    /// As the picture that Unicode has of it: NUL as U+2400.
    Picture(char),
    /// By its number: `[U+202E]`.
    Number(u32),
}

/// How this character is shown, if it is odd. Tabs and line feeds are not.
pub(crate) fn odd(c: char) -> Option<Odd> {
    let code = u32::from(c);
    match c {
        '\t' | '\n' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + code).map(Odd::Picture),
        '\u{7f}' => Some(Odd::Picture('\u{2421}')),
        // The second set of controls has no pictures.
        '\u{80}'..='\u{9f}' => Some(Odd::Picture(char::REPLACEMENT_CHARACTER)),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}' => {
            Some(Odd::Number(code))
        }
        // The last two of every plane.
        _ if code & 0xfffe == 0xfffe => Some(Odd::Number(code)),
        _ => None,
    }
}

/// The text with every odd character shown. Nearly always the text itself.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| odd(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        match odd(c) {
            None => shown.push(c),
            Some(Odd::Picture(picture)) => shown.push(picture),
            Some(Odd::Number(code)) => shown.push_str(&format!("[U+{code:04X}]")),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_pictured_and_overrides_are_numbered() {
        assert_eq!(shown("a\0b\u{1b}[1m\r\u{7f}"), "a␀b␛[1m␍␡");
        assert_eq!(shown("\u{9b}31m\u{85}"), "\u{fffd}31m\u{fffd}");
        assert_eq!(shown("gpj\u{202e}.exe\u{2066}"), "gpj[U+202E].exe[U+2066]");
    }

    #[test]
    fn noncharacters_are_numbered() {
        assert_eq!(
            shown("\u{fdcf}\u{fdd0}\u{fdef}\u{fffd}\u{fffe}\u{1ffff}\u{10fffe}"),
            "\u{fdcf}[U+FDD0][U+FDEF]\u{fffd}[U+FFFE][U+1FFFF][U+10FFFE]"
        );
    }

    #[test]
    fn tabs_line_feeds_and_marks_of_direction_stay() {
        let plain = "a\tb\nسلام\u{200f}\u{200e}“c”";
        assert!(matches!(shown(plain), Cow::Borrowed(same) if same == plain));
    }
}
