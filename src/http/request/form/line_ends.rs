//! Conversion of CRLF, which form clients send for a newline, to LF. The bytes of an uploaded file are never converted.
//!
//! Invariants: only a CR directly before an LF is removed.
//! Cost: one scan, and one copy if there is a CRLF.

use std::borrow::Cow;

use memchr::memmem;

/// Replaces every CRLF with LF.
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
