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
    let mut end = prefix(text, is_url_character).len();
    // In a source, a backslash escapes the punctuation after it.
    while text[end..]
        .strip_prefix('\\')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation()))
    {
        end += 2;
        end += prefix(&text[end..], is_url_character).len();
    }
    trimmed_length(&text[..end])
}

/// Returns whether a host may start with this character. Emoji are allowed: browsers translate them like letters.
pub(super) fn is_host_character(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

fn is_url_character(c: char) -> bool {
    match c {
        '<' | '>' | '"' | '\\' => false,
        c if c.is_ascii() => c.is_ascii_graphic(),
        c => is_host_character(c),
    }
}

/// Returns a URL's length without the punctuation at its end, which belongs to the sentence. A closing bracket at the
/// end belongs to the URL if its opening bracket does.
fn trimmed_length(url: &str) -> usize {
    let count = |bracket| url.bytes().filter(|byte| *byte == bracket).count();
    let mut round = (count(b'('), count(b')'));
    let mut square = (count(b'['), count(b']'));
    let mut end = url.len();
    while let Some(last) = url[..end].bytes().next_back() {
        let (opened, closed) = match last {
            b')' => &mut round,
            b']' => &mut square,
            b';' => {
                end = entity_start(&url[..end]).unwrap_or(end - 1);
                continue;
            }
            b'?' | b'!' | b'.' | b',' | b':' | b'*' | b'_' | b'~' | b'\'' | b'\\' => {
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

/// Returns the byte index of the entity, such as `&hl;`, with which this text ends.
fn entity_start(text: &str) -> Option<usize> {
    let name = text.strip_suffix(';')?;
    let before = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    (before.len() < name.len() && before.ends_with('&')).then(|| before.len() - 1)
}
