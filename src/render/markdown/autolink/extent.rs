//! The extent of an autolink: where a URL in running text starts and ends.
//!
//! Cost: one pass over the URL. Brackets at its end are counted only once.

/// Returns the longest prefix that consists of allowed characters.
pub(super) fn prefix(text: &str, is_allowed: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !is_allowed(c)).unwrap_or(text.len());
    &text[..end]
}

/// Returns the byte index of the scheme with which this text ends. Returns `None` if the text ends with none of
/// `schemes`, or if the scheme is part of a longer word.
pub(super) fn scheme_start(text: &str, schemes: &[&str]) -> Option<usize> {
    schemes.iter().find_map(|scheme| {
        let start = text.len().checked_sub(scheme.len())?;
        let is_scheme = text.get(start..)?.eq_ignore_ascii_case(scheme);
        let is_word = !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        (is_scheme && is_word).then_some(start)
    })
}

/// Returns the length in bytes of the URL, or of a URL's remainder, at the start of this text.
pub(super) fn url_length(text: &str) -> usize {
    trimmed_length(prefix(text, is_url_character))
}

fn is_url_character(c: char) -> bool {
    match c {
        '<' | '>' | '"' | '`' | '\\' => false,
        c if c.is_ascii() => c.is_ascii_graphic(),
        c => c.is_alphanumeric(),
    }
}

/// Returns a URL's length without the punctuation at its end, which belongs to the sentence. A closing bracket at the
/// end belongs to the URL if its opening bracket does.
fn trimmed_length(url: &str) -> usize {
    let count = |bracket| url.bytes().filter(|byte| *byte == bracket).count();
    let mut round = (count(b'('), count(b')'));
    let mut square = (count(b'['), count(b']'));
    let mut end = url.len();
    for byte in url.bytes().rev() {
        let (opened, closed) = match byte {
            b')' => &mut round,
            b']' => &mut square,
            b'?' | b'!' | b'.' | b',' | b':' | b';' | b'*' | b'_' | b'~' | b'\'' => {
                end -= 1;
                continue;
            }
            _ => break,
        };
        if closed <= opened {
            break;
        }
        *closed -= 1;
        end -= 1;
    }
    end
}
