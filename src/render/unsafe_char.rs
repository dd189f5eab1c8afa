//! Unsafe characters: characters that make a text look different from its real content.
//!
//! There are four kinds. Browsers drop, move or replace control characters. Characters that embed, override or isolate
//! a writing direction can show source code in another order than it is executed (CVE-2021-42574). Noncharacters are
//! invisible and forbidden in HTML. Invisible characters make two words look equal that are not, or hide a text. Some
//! invisible characters are safe, because scripts and emoji need them: directional marks (U+200E, U+200F, U+061C),
//! which reorder only their neighbours, joiners (U+200C, U+200D), variation selectors (U+FE00 to U+FE0F), and the tags
//! in the flags of England, Scotland and Wales. In formulas, so are their operators U+2061 to U+2064.

use std::borrow::Cow;

/// The visible form of an unsafe character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnsafeChar {
    /// The control picture of the character (Unicode block U+2400), or the replacement character.
    Picture(char),
    /// The code point of the character, shown as `[U+202E]`.
    CodePoint(u32),
}

/// Returns the visible form of an unsafe character. Returns `None` if the character is safe, as tabs and line feeds
/// are.
pub(super) fn unsafe_char(c: char) -> Option<UnsafeChar> {
    let code = u32::from(c);
    match c {
        '\t' | '\n' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + code).map(UnsafeChar::Picture),
        '\u{7f}' => Some(UnsafeChar::Picture('\u{2421}')),
        // Unicode has no pictures for the C1 controls and for the grapheme joiner.
        '\u{80}'..='\u{9f}' | '\u{34f}' => Some(UnsafeChar::Picture(char::REPLACEMENT_CHARACTER)),
        // Word processors show an optional hyphen so.
        '\u{ad}' => Some(UnsafeChar::Picture('¬')),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}' => {
            Some(UnsafeChar::CodePoint(code))
        }
        _ if is_invisible(c) => Some(UnsafeChar::CodePoint(code)),
        // The last two code points of every plane are noncharacters.
        _ if code & 0xfffe == 0xfffe => Some(UnsafeChar::CodePoint(code)),
        _ => None,
    }
}

/// Returns whether a character has no width and no ink: fillers, separators, and formats that no browser shows.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // fillers of Hangul
        | '\u{17b4}' | '\u{17b5}' // inherent vowels of Khmer
        | '\u{180b}'..='\u{180f}' // selectors of Mongolian
        | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' // shorthand, music
        | '\u{e0000}'..='\u{e0fff}' // tags and further selectors
    )
}

/// The flags that are written with tags.
const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Returns the visible form of the character at this byte of the text, or `None` if it is safe there.
pub(super) fn unsafe_char_at(text: &str, at: usize, c: char) -> Option<UnsafeChar> {
    let is_flag_at = |start| {
        let rest: Option<&str> = text.get(start..);
        rest.is_some_and(|rest| FLAGS.iter().any(|flag| rest.starts_with(flag)))
    };
    let is_in_flag = || (1..=6).any(|before| at.checked_sub(before * 4).is_some_and(is_flag_at));
    unsafe_char(c).filter(|_| !matches!(c, '\u{e0060}'..='\u{e007f}') || !is_in_flag())
}

/// Returns the text, in which unsafe characters are replaced by their visible form. Nearly all texts are returned
/// unchanged.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| unsafe_char(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() * 2);
    for (at, c) in text.char_indices() {
        match unsafe_char_at(text, at, c) {
            None => visible.push(c),
            Some(UnsafeChar::Picture(picture)) => visible.push(picture),
            Some(UnsafeChar::CodePoint(code)) => visible.push_str(&format!("[U+{code:04X}]")),
        }
    }
    Cow::Owned(visible)
}

/// Returns whether a text has no unsafe characters. The CR of a line end is allowed.
pub(crate) fn is_plain(text: &str) -> bool {
    text.split('\n').map(without_cr).all(|line| {
        let mut chars = line.char_indices();
        chars.all(|(at, c)| unsafe_char_at(line, at, c).is_none())
    })
}

/// Returns a text without the byte order mark at its start, which some editors write.
pub(crate) fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns a line without the CR at its end.
pub(super) fn without_cr(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_pictures_and_overrides_code_points() {
        assert_eq!(visible("a\0b\u{1b}[1m\r\u{7f}"), "a␀b␛[1m␍␡");
        assert_eq!(visible("\u{9b}31m\u{85}"), "\u{fffd}31m\u{fffd}");
        assert_eq!(
            visible("gpj\u{202e}.exe\u{2066}"),
            "gpj[U+202E].exe[U+2066]"
        );
    }

    #[test]
    fn noncharacters_become_code_points() {
        assert_eq!(
            visible("\u{fdcf}\u{fdd0}\u{fdef}\u{fffd}\u{fffe}\u{1ffff}\u{10fffe}"),
            "\u{fdcf}[U+FDD0][U+FDEF]\u{fffd}[U+FFFE][U+1FFFF][U+10FFFE]"
        );
    }

    #[test]
    fn invisible_characters_are_shown() {
        assert_eq!(
            visible("ad\u{200b}min\u{feff}\u{2060}\u{3164}\u{e0041}\u{2028}"),
            "ad[U+200B]min[U+FEFF][U+2060][U+3164][U+E0041][U+2028]"
        );
        assert_eq!(visible("so\u{ad}ft\u{34f}"), "so¬ft\u{fffd}");
        assert_eq!(visible("f\u{2061}x\u{2064}"), "f[U+2061]x[U+2064]");
        let joined = "👩\u{200d}💻 ❤\u{fe0f} می\u{200c}خواهم";
        assert_eq!(visible(joined), joined);
    }

    #[test]
    fn tags_are_safe_in_flags_and_nowhere_else() {
        let flags = FLAGS.concat();
        assert!(visible(&flags) == flags && is_plain(&flags));
        let [england, ..] = FLAGS;
        let cut = england.trim_end_matches('\u{e007f}');
        for text in [
            cut,
            &england[4..],
            &england.replace('\u{e006e}', "\u{e0061}"),
        ] {
            assert!(!is_plain(text) && visible(text).matches("[U+").count() >= 5);
        }
        let hidden = format!("{england}\u{e0041}\u{e007f}");
        assert_eq!(visible(&hidden), format!("{england}[U+E0041][U+E007F]"));
    }

    #[test]
    fn tabs_line_feeds_and_directional_marks_are_safe() {
        let plain = "a\tb\nسلام\u{200f}\u{200e}“c”";
        assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain));
    }
}
