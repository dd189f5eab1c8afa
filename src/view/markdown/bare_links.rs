//! Bare links: addresses in the middle of a text, which nobody marked as such.
//!
//! What it must not know: where the text stands.
//! Invariants: what is found begins with `http://` or `https://` and has a host; punctuation of the sentence around it
//! is not part of it.
//! Cost: one pass; brackets at the end are counted once.

use std::ops::Range;

/// Where the first address of a text lies.
pub(super) fn first_in(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(colon) = text[from..].find("://").map(|at| from + at) {
        from = colon + "://".len();
        let Some(start) = scheme_before(&text[..colon]) else {
            continue;
        };
        let rest = &text[from..];
        if rest.starts_with(|c: char| c.is_alphanumeric()) {
            let end = rest.find(|c| !is_of_address(c)).unwrap_or(rest.len());
            return Some(start..from + without_punctuation(&rest[..end]));
        }
    }
    None
}

/// Where the scheme begins that this ends with, if it is a word of its own.
fn scheme_before(text: &str) -> Option<usize> {
    let word = text
        .bytes()
        .rev()
        .take_while(u8::is_ascii_alphabetic)
        // Longer words are no scheme of ours.
        .take("https".len() + 1)
        .count();
    let start = text.len() - word;
    let is_scheme = ["http", "https"]
        .iter()
        .any(|scheme| text[start..].eq_ignore_ascii_case(scheme));
    let is_alone = !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (is_scheme && is_alone).then_some(start)
}

fn is_of_address(c: char) -> bool {
    match c {
        '<' | '>' | '"' | '`' | '\\' => false,
        c if c.is_ascii() => c.is_ascii_graphic(),
        c => c.is_alphanumeric(),
    }
}

/// Its length without the punctuation at its end, which is the sentence's; and without a bracket that was opened before
/// it.
fn without_punctuation(address: &str) -> usize {
    let count = |bracket| address.bytes().filter(|byte| *byte == bracket).count();
    let mut round = (count(b'('), count(b')'));
    let mut square = (count(b'['), count(b']'));
    let mut end = address.len();
    for byte in address.bytes().rev() {
        let brackets = match byte {
            b')' => &mut round,
            b']' => &mut square,
            b'?' | b'!' | b'.' | b',' | b':' | b';' | b'*' | b'_' | b'~' | b'\'' => {
                end -= 1;
                continue;
            }
            _ => break,
        };
        if brackets.1 <= brackets.0 {
            break;
        }
        brackets.1 -= 1;
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        first_in(text).map(|range| &text[range])
    }

    #[test]
    fn an_address_ends_where_its_sentence_goes_on() {
        for (text, address) in [
            ("see https://a.example.", "https://a.example"),
            ("(https://a.example/b_(c))", "https://a.example/b_(c)"),
            ("[https://a.example/]), and", "https://a.example/"),
            (
                "HTTPS://a.example/?q=1&r=2#x!",
                "HTTPS://a.example/?q=1&r=2#x",
            ),
            ("\"http://a.example/b\"", "http://a.example/b"),
            ("见https://a.example。然后", "https://a.example"),
            ("ftp://a http://b.example", "http://b.example"),
            ("https:// http://b", "http://b"),
            ("https://a.example/Bär!", "https://a.example/Bär"),
            ("https://a.example\u{202e}x", "https://a.example"),
        ] {
            assert_eq!(found(text), Some(address), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for text in [
            "",
            "://",
            "https://",
            "https://.",
            "xhttps://a",
            "_http://a",
            "javascript://a",
            "https:/a",
            "www.a.example",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
