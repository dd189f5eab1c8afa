//! Line ends: CRLF, as form clients write a newline, back to LF.
//!
//! What it must not know: which fields are text that somebody typed; a file's bytes are never passed here.
//! Invariants: a CR that is not before an LF stays; nothing but CRs goes.
//! Cost: one scan; a copy only if there is a CRLF.

use std::borrow::Cow;

use memchr::memmem;

/// The bytes with every CRLF as LF.
pub(crate) fn crlf_to_lf(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let mut ends = memmem::find_iter(&bytes, b"\r\n").peekable();
    if ends.peek().is_none() {
        drop(ends);
        return bytes;
    }
    let mut kept = Vec::with_capacity(bytes.len());
    let mut start = 0;
    for end in ends {
        kept.extend_from_slice(&bytes[start..end]);
        start = end + 1;
    }
    kept.extend_from_slice(&bytes[start..]);
    Cow::Owned(kept)
}

/// What somebody typed in one line: without the line's end, which a file has and nobody types.
pub(crate) fn one_line(value: &[u8]) -> &[u8] {
    let line = value.strip_suffix(b"\n").unwrap_or(value);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_cr_before_an_lf_goes() {
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
