//! The boundary of a multipart body: parsed from the `Content-Type`, found at the start of a line.
//!
//! Invariants:
//! - A boundary has 1 to [`Boundary::MAX`] bytes without control characters, so a delimiter never spans two lines.
//! - A delimiter is a whole line, except for trailing white space (RFC 2046, section 5.1.1). A line that only starts
//!   like a delimiter is content.
//!
//! Cost: the search is vectorized. Comparing a line reads as many bytes as the boundary has, and the trailing white
//! space.

use memchr::memmem::Finder;

use super::parameter::Parameters;
use super::{FormDefect, FormError};

/// The separator of the parts, including its two leading dashes.
pub(super) struct Boundary(Finder<'static>);

/// The meaning of a delimiter line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// Another part follows this line end.
    Opening(LineEnd),
    /// The end of the form.
    Closing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// The line end of the standard.
    CrLf,
    /// The line end of some shell scripts.
    Lf,
}

impl Boundary {
    /// The maximum length in bytes. The standard allows 70; some clients may exceed that.
    const MAX: usize = 200;

    /// Parses the boundary in this `Content-Type`, quoted or not.
    ///
    /// # Errors
    /// If the boundary is missing, empty, too long or has control characters.
    pub(super) fn of(content_type: &str) -> Result<Self, FormError> {
        let value = Parameters::of(content_type.as_bytes())
            .find(|parameter| parameter.is("boundary"))
            .ok_or(FormError::Malformed(FormDefect::NoBoundary))?
            .value();
        if value.is_empty() {
            return Err(FormError::Malformed(FormDefect::EmptyBoundary));
        }
        if value.len() > Self::MAX {
            return Err(FormError::Malformed(FormDefect::LongBoundary));
        }
        if value.iter().any(u8::is_ascii_control) {
            return Err(FormError::Malformed(FormDefect::BoundaryCharacter));
        }
        let boundary = [b"--", value.as_slice()].concat();
        Ok(Self(Finder::new(&boundary).into_owned()))
    }

    /// The positions of lines that start with the boundary.
    pub(super) fn found_in<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        // A boundary contains no line end, so two matches at line starts never overlap.
        let found = self.0.find_iter(bytes);
        found.filter(|start| *start == 0 || bytes[start - 1] == b'\n')
    }

    /// The meaning of this line, which includes its line end. Returns `None` if it is not a delimiter.
    /// An opening delimiter needs a line end. A closing one at the end of the body does not.
    pub(super) fn announced_by(&self, line: &[u8]) -> Option<Delimiter> {
        let rest = line.strip_prefix(self.0.needle())?;
        if let Some(rest) = rest.strip_prefix(b"--") {
            return is_blank(rest).then_some(Delimiter::Closing);
        }
        let line_end = match rest {
            [.., b'\r', b'\n'] => LineEnd::CrLf,
            [.., b'\n'] => LineEnd::Lf,
            _ => return None,
        };
        is_blank(rest).then_some(Delimiter::Opening(line_end))
    }
}

/// Returns whether only white space precedes the line end.
fn is_blank(rest: &[u8]) -> bool {
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    rest.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_and_unquoted_boundaries_are_parsed() {
        for (content_type, expected) in [
            ("multipart/form-data; boundary=xYzZY", "xYzZY"),
            (
                "multipart/form-data;boundary=------------------------9977",
                "------------------------9977",
            ),
            ("multipart/form-data; BounDary=a", "a"),
            (
                "multipart/form-data; charset=utf-8; boundary=a; x=\"boundary=b\"",
                "a",
            ),
            (
                "multipart/form-data; x=\"; boundary=b\"; boundary=\"a\"; y=1",
                "a",
            ),
            ("multipart/form-data; boundary=\"a b c\"", "a b c"),
            ("multipart/form-data; boundary=\"a;b\"", "a;b"),
            (r#"multipart/form-data; boundary="a\"\=b""#, r#"a"=b"#),
            (
                "multipart/form-data; boundary====a'b(c)+d:e/f,g?h_i.j",
                "===a'b(c)+d:e/f,g?h_i.j",
            ),
            ("multipart/form-data; boundary = a ", "a"),
        ] {
            let boundary = Boundary::of(content_type).expect(content_type);
            assert_eq!(
                boundary.0.needle(),
                format!("--{expected}").as_bytes(),
                "{content_type}"
            );
        }
    }

    #[test]
    fn an_invalid_boundary_is_rejected() {
        let long = format!(
            "multipart/form-data; boundary={}",
            "x".repeat(Boundary::MAX + 1)
        );
        for (content_type, why) in [
            ("", FormDefect::NoBoundary),
            ("multipart/form-data", FormDefect::NoBoundary),
            (
                "multipart/form-data; charset=boundary",
                FormDefect::NoBoundary,
            ),
            ("multipart/form-data; boundary", FormDefect::EmptyBoundary),
            ("multipart/form-data; boundary=", FormDefect::EmptyBoundary),
            (
                "multipart/form-data; boundary=\"\"",
                FormDefect::EmptyBoundary,
            ),
            (
                "multipart/form-data; boundary=\"a\nb\"",
                FormDefect::BoundaryCharacter,
            ),
            (&long, FormDefect::LongBoundary),
        ] {
            let error = Boundary::of(content_type).err();
            assert_eq!(error, Some(FormError::Malformed(why)), "{content_type}");
        }
        assert!(Boundary::of(&long[..long.len() - 1]).is_ok());
    }

    #[test]
    fn a_delimiter_is_a_whole_line_except_for_white_space() {
        let crlf = Some(Delimiter::Opening(LineEnd::CrLf));
        let lf = Some(Delimiter::Opening(LineEnd::Lf));
        let closing = Some(Delimiter::Closing);
        let boundary = Boundary::of("a/b; boundary=B").unwrap();
        for (line, expected, why) in [
            ("--B\r\n", crlf, "as the standard has it"),
            ("--B\n", lf, "as a shell script writes it"),
            ("--B \t\r\n", crlf, "white space behind"),
            ("--B", None, "cut off"),
            ("--B ", None, "cut off"),
            ("--B\r", None, "cut off"),
            ("--B--\r\n", closing, "as the standard has it"),
            ("--B--", closing, "the last line end may be missing"),
            ("--B-- \n", closing, "white space behind"),
            ("--B--\r", closing, "half of the last line end"),
            ("--B-", None, "cut off"),
            ("--B-\n", None, "one dash"),
            ("--B--x\n", None, "content that begins alike"),
            ("--BX\r\n", None, "a longer boundary"),
            ("--B x\r\n", None, "content that begins alike"),
            ("-B\r\n", None, "one dash"),
            (" --B\r\n", None, "not at the start"),
            ("--B\r\r\n", None, "a CR is no white space"),
        ] {
            assert_eq!(
                boundary.announced_by(line.as_bytes()),
                expected,
                "{line:?}: {why}"
            );
        }
    }
}
