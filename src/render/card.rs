//! A card: what other sites show where somebody posted a paste's address (Open Graph).
//!
//! This is the one place where content leaves the page that was opened: programs read a card, and show it to whoever
//! reads along. What must not be told to them is left out here.
//! What it must not know: HTML; askama escapes it like any other text.
//! Invariants: a description is one line of at most [`MOST_CHARS`] characters; odd characters are shown.
//! Cost: it looks at the first KiB of a text, for 4 µs: it is made once for a page that is kept.

use crate::paste::Paste;
use crate::render::humanize;
use crate::render::odd;

/// Sites show about as much.
const MOST_CHARS: usize = 200;

/// Text that is looked at for a description: enough for so many characters with some white space between them.
const MOST_BYTES: usize = 1024;

/// What a card says of this paste beside its title.
pub(crate) fn description(paste: &Paste) -> String {
    match paste.text() {
        Some(text) => first_words(text),
        None => format!("Binary data, {}", humanize::size(paste.bytes().len())),
    }
}

/// The beginning of a text on one line.
fn first_words(text: &str) -> String {
    let looked_at = &text[..text.floor_char_boundary(MOST_BYTES)];
    let line = looked_at.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = odd::shown(&line);
    let end = line.char_indices().nth(MOST_CHARS - 1);
    let is_whole = looked_at.len() == text.len();
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
            first_words("\nfn main() {\r\n\tgo();\n}\n"),
            "fn main() { go(); }"
        );
        assert_eq!(
            first_words(&"ab ".repeat(67)),
            "ab ".repeat(67).trim_end()[..200].to_owned()
        );
        assert_eq!(first_words(&"a".repeat(200)), "a".repeat(200));
        assert_eq!(first_words(&"a".repeat(201)), "a".repeat(199) + "…");
        assert_eq!(first_words(&(" ".repeat(2000) + "a")), "…");
    }

    #[test]
    fn an_override_of_direction_is_shown_and_does_nothing() {
        assert_eq!(first_words("a\u{202e}b\0"), "a[U+202E]b␀");
    }

    proptest! {
        #[test]
        fn a_description_is_short_and_has_no_line_end(text in "([a\u{202e}é𝄞 \n]|\\PC){1,1500}") {
            let words = first_words(&text);
            prop_assert!(words.chars().count() <= MOST_CHARS);
            prop_assert!(!words.contains('\n'));
        }
    }
}
