//! The names of files in a patch, as Git, Subversion and `diff` write them.
//!
//! Invariants: a name that cannot be read is shown as it is written.

use std::borrow::Cow;

/// Returns the name of a line such as `--- name`, `+++ name` or `rename to name`. A tab ends it: a date follows.
pub(super) fn name_of_line(text: &str) -> Cow<'_, str> {
    unquoted(text).unwrap_or_else(|| text.split('\t').next().unwrap_or(text).into())
}

/// Returns the name in the rest of a line such as `diff --git a/name b/name`. If the names differ, other lines have
/// them; otherwise this is the text after the options.
pub(super) fn name_of_both(text: &str) -> Option<Cow<'_, str>> {
    let mut names = text.trim();
    while let Some((_, rest)) = names.split_once(' ').filter(|_| names.starts_with('-')) {
        names = rest.trim_start();
    }
    let one = |at: usize| Some((names.get(..at)?, names.get(at + 1..)?));
    let halves = one(names.len() / 2).map(|(a, b)| (name_of_line(a), name_of_line(b)));
    if let Some((a, b)) = halves
        && let (Some(a), Some(b)) = (a.strip_prefix("a/"), b.strip_prefix("b/"))
        && a == b
    {
        return Some(a.to_owned().into());
    }
    (!names.is_empty()).then(|| names.into())
}

/// Returns the name that Git quotes as in C, with `\303\251` for two bytes. Returns `None` if it is not quoted, or has
/// a control character.
fn unquoted(text: &str) -> Option<Cow<'_, str>> {
    let quoted = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut name = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            name.push(byte);
            continue;
        }
        name.push(match bytes.next()? {
            first @ b'0'..=b'3' => {
                let digit = |byte: u8| (b'0'..=b'7').contains(&byte).then(|| byte - b'0');
                let (second, third) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
                (first - b'0') * 64 + second * 8 + third
            }
            escaped @ (b'\\' | b'"') => escaped,
            _ => return None,
        });
    }
    String::from_utf8(name).ok().map(Cow::Owned)
}
