//! The names of files in a patch, as Git, Subversion and `diff` write them.
//!
//! Invariants: a name that cannot be read is shown as it is written.

use std::borrow::Cow;

/// Returns the name of a line such as `--- name`, `+++ name` or `rename to name`. A tab ends it: a date follows.
pub(super) fn name_of_line(text: &str) -> Cow<'_, str> {
    unquoted(text).unwrap_or_else(|| text.split('\t').next().unwrap_or(text).into())
}

/// Returns the name that Git quotes as in C, with `\303\251` for two bytes. Returns `None` if it is not quoted, or has
/// a control character.
fn unquoted(text: &str) -> Option<Cow<'_, str>> {
    let mut parts = text.strip_prefix('"')?.strip_suffix('"')?.split('\\');
    let mut name = parts.next()?.as_bytes().to_vec();
    while let Some(part) = parts.next() {
        match part.get(..3).map(|octal| u8::from_str_radix(octal, 8)) {
            Some(Ok(byte)) => {
                name.push(byte);
                name.extend_from_slice(&part.as_bytes()[3..]);
            }
            // A backslash after a backslash.
            _ if part.is_empty() => {
                name.push(b'\\');
                name.extend_from_slice(parts.next()?.as_bytes());
            }
            _ if part.starts_with('"') => name.extend_from_slice(part.as_bytes()),
            _ => return None,
        }
    }
    String::from_utf8(name).ok().map(Cow::Owned)
}
