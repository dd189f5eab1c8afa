//! The pairs of an urlencoded form, and the line ends of its values.
//!
//! Cost: one pass.
//! `form_urlencoded::parse` is not used: it converts every value to UTF-8, and content may be binary.

use std::borrow::Cow;

use memchr::memmem;
use percent_encoding::percent_decode;

use crate::http::request::error::is_of_name;

/// One encoded pair of a form.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    name: &'a [u8],
    /// `None` if the pair has no `=`.
    value: Option<&'a [u8]>,
}

/// Returns whether a body with this start may be a form that saves a paste. A form may exceed the size limit of raw
/// content, because encoding enlarges it. Names are not checked: the start may end within one.
pub(crate) fn may_be_form(start: &[u8]) -> bool {
    !start.iter().any(u8::is_ascii_control)
}

/// Returns whether an encoder can have produced a form.
pub(crate) fn is_encoded(body: &[u8]) -> bool {
    body.iter().all(u8::is_ascii_graphic)
}

/// The pairs of a body, in the order sent. A pair without `=` has an empty value, as from `curl -d delete`.
pub(super) fn pieces(body: &[u8]) -> impl Iterator<Item = Pair<'_>> {
    let pieces = body.split(|byte| *byte == b'&');
    pieces.filter(|piece| !piece.is_empty()).map(Pair::of)
}

impl<'a> Pair<'a> {
    fn of(pair: &'a [u8]) -> Self {
        let mut pieces = pair.splitn(2, |byte| *byte == b'=');
        Self {
            name: pieces.next().unwrap_or_default(),
            value: pieces.next(),
        }
    }

    /// The decoded name; invalid UTF-8 is replaced.
    pub(crate) fn name(&self) -> Cow<'a, str> {
        match decoded(self.name) {
            Cow::Borrowed(name) => String::from_utf8_lossy(name),
            Cow::Owned(name) => Cow::Owned(String::from_utf8_lossy(&name).into_owned()),
        }
    }

    pub(super) fn has_value(&self) -> bool {
        self.value.is_some()
    }

    /// Returns whether this is probably a field of a form. Raw content may become a pair too.
    pub(crate) fn looks_like_a_field(&self) -> bool {
        self.value.is_some() && self.name.iter().copied().all(is_of_name)
    }

    /// The decoded bytes of the value.
    pub(crate) fn value(&self) -> Cow<'a, [u8]> {
        decoded(self.value.unwrap_or_default())
    }
}

/// Decodes a name or a value. `+` is replaced first, so that `%2B` remains a plus. A percent sign that starts no escape
/// is literal.
fn decoded(raw: &[u8]) -> Cow<'_, [u8]> {
    if !raw.contains(&b'+') {
        return percent_decode(raw).into();
    }
    let spaced: Vec<u8> = raw
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    Cow::Owned(percent_decode(&spaced).collect())
}

/// Replaces every CRLF with LF: form clients send it for a newline. The bytes of an uploaded file are never converted.
/// Only a CR directly before an LF is removed. Cost: one scan, and one copy if there is a CRLF.
pub(crate) fn crlf_to_lf(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let mut ends = memmem::find_iter(&bytes, b"\r\n").peekable();
    if ends.peek().is_none() {
        drop(ends);
        return bytes;
    }
    let mut converted = Vec::with_capacity(bytes.len());
    let mut start = 0;
    for end in ends {
        converted.extend_from_slice(&bytes[start..end]);
        start = end + 1;
    }
    converted.extend_from_slice(&bytes[start..]);
    Cow::Owned(converted)
}

/// Strips one final line end. A single-line value that was read from a file has one, a typed value does not.
pub(crate) fn one_line(value: &[u8]) -> &[u8] {
    let line = value.strip_suffix(b"\n").unwrap_or(value);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_cr_before_an_lf_is_removed() {
        for (given, expected) in [
            (&b""[..], &b""[..]),
            (b"a\r\nb\r\n", b"a\nb\n"),
            (b"\r\n", b"\n"),
            (b"\r\r\n", b"\r\n"),
            (b"a\rb\r", b"a\rb\r"),
            (b"a\nb\n\r", b"a\nb\n\r"),
            (b"\xff\r\n\0", b"\xff\n\0"),
        ] {
            assert_eq!(crlf_to_lf(Cow::Borrowed(given)), expected, "{given:?}");
            assert_eq!(
                crlf_to_lf(Cow::Owned(given.to_vec())),
                expected,
                "{given:?}"
            );
        }
    }

    #[test]
    fn bytes_without_crlf_are_not_copied() {
        assert!(matches!(
            crlf_to_lf(Cow::Borrowed(b"a\nb\r")),
            Cow::Borrowed(_)
        ));
    }
}
