//! Link previews: the name and the description that other sites show next to a posted link to a paste (Open Graph).
//!
//! Programs read the description from the page. For example, a chat program shows it to all readers of a chat.
//! Invariants: a name and a description are one line of at most [`MAX_NAME`] and [`MAX_CHARS`] characters. Their
//! unsafe characters are shown in a visible form. They are text, not HTML; askama, the template engine, escapes them.
//! Cost: a description takes 4 µs, because only the first KiB of a text is read. A title takes less.

use crate::detection::{self, Name};
use crate::paste::{Access, Language, Paste, SealedMessage};
use crate::render::humanize;
use crate::render::unsafe_char::visible;

/// Maximum characters of a description. Other sites show about this number.
const MAX_CHARS: usize = 200;

/// Maximum characters of a name that is taken from the text.
const MAX_NAME: usize = 80;

/// Maximum bytes of the text that are read for the description. This is enough for [`MAX_CHARS`] characters and some
/// white space.
const MAX_BYTES: usize = 1024;

/// Returns the description of data of this kind.
pub(super) fn of_bytes(kind: &str, bytes: &[u8]) -> String {
    format!("{kind}, {}", humanize::size(bytes.len()))
}

/// Returns the beginning of a text as one line.
pub(crate) fn of_text(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(MAX_BYTES)];
    shortened(start, MAX_CHARS, start.len() == text.len())
}

/// Returns what the text of a paste calls it, as one line. A browser and a folder keep names, so only what can be read
/// again has one. A title goes first.
pub(crate) fn name_of(paste: &Paste, text: &str, language: Language) -> Option<Name> {
    let is_readable = paste.access() == Access::Open && SealedMessage::of(paste.bytes()).is_none();
    if paste.title().is_some() || !is_readable {
        return None;
    }
    let name = detection::name_of(text, language)?;
    let text = shortened(&name.text, MAX_NAME, true);
    Some(Name { text, ..name })
}

/// Returns a text as one line of at most so many characters. If more follows it, it ends with an ellipsis.
fn shortened(text: &str, most: usize, is_whole: bool) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = visible(&line);
    let end = line.char_indices().nth(most - 1);
    match end {
        Some((end, _)) if line[end..].chars().nth(1).is_some() || !is_whole => {
            format!("{}…", &line[..end])
        }
        None if !is_whole => format!("{line}…"),
        Some(_) | None => line.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_description_is_the_first_words_on_one_line() {
        assert_eq!(
            of_text("\nfn main() {\r\n\tgo();\n}\n"),
            "fn main() { go(); }"
        );
        assert_eq!(
            of_text(&"ab ".repeat(67)),
            "ab ".repeat(67).trim_end()[..200].to_owned()
        );
        assert_eq!(of_text(&"a".repeat(200)), "a".repeat(200));
        assert_eq!(of_text(&"a".repeat(201)), "a".repeat(199) + "…");
        assert_eq!(of_text(&(" ".repeat(2000) + "a")), "…");
    }

    #[test]
    fn a_direction_override_is_visible_and_does_nothing() {
        assert_eq!(of_text("a\u{202e}b\0"), "a[U+202E]b␀");
    }

    proptest! {
        #[test]
        fn a_description_is_short_and_has_no_line_end(text in "([a\u{202e}é𝄞 \n]|\\PC){1,1500}") {
            let words = of_text(&text);
            prop_assert!(words.chars().count() <= MAX_CHARS);
            prop_assert!(!words.contains('\n'));
        }
    }
}
