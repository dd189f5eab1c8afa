//! Multipart forms (RFC 7578). Bare LF is accepted as a line end, because some shell scripts send it.
//! [`Parts`] parses any form, and [`parse`] a form that saves a paste.
//!
//! Invariants:
//! - A form without its closing delimiter is rejected, so a truncated upload is never saved.
//! - Content is returned byte for byte. It starts after the empty line that ends the headers, and ends before the line
//!   end of the next delimiter.
//! - That line end is CRLF or LF. If the first delimiter ended with a bare LF, a CR before the LF is content. Otherwise
//!   the CR is part of the line end.
//!
//! Cost: each byte is read a bounded number of times. Content is borrowed, and a part allocates only its names.
//! The crate actix-multipart is not used because it requires CRLF. Its streaming is not needed: a body is bounded and
//! in memory.

use std::borrow::Cow;

use memchr::memchr;

use super::boundary::{Boundary, Delimiter, LineEnd};
use super::builder::Builder;
use super::disposition::Disposition;
use super::{Form, FormDefect, FormError};

/// The maximum number of headers in one part. Clients send at most three.
const MAX_HEADERS: usize = 16;
/// The maximum bytes of headers in which a control character is replaced.
const MAX_REPAIRED: usize = 16 * 1024;

const CUT_OFF: FormError = FormError::Malformed(FormDefect::Truncated);

/// Parses the body of a save with this `Content-Type`.
pub(crate) fn parse<'a>(content_type: &str, body: &'a [u8]) -> Result<Form<'a>, FormError> {
    let mut form = Builder::default();
    for part in Parts::of(content_type, body)? {
        let part = part?;
        form.add(&part.name, Cow::Borrowed(part.content), part.file_name)?;
    }
    form.finish()
}

/// One field of a form.
pub(crate) struct Part<'a> {
    /// The name of the field, not empty.
    pub(crate) name: String,
    /// The name of the file, maybe empty; `None` if the field is not a file.
    pub(crate) file_name: Option<String>,
    /// The exact bytes; may be empty.
    pub(crate) content: &'a [u8],
}

/// An iterator over the parts of a body, in the order sent. The body is complete only if the iterator ends without an
/// error.
pub(crate) struct Parts<'a> {
    boundary: Boundary,
    line_end: LineEnd,
    /// The bytes after the last delimiter; `None` after the closing one or an error.
    rest: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// Starts at the first delimiter of a body with this `Content-Type`. Bytes before it are skipped.
    pub(crate) fn of(content_type: &str, body: &'a [u8]) -> Result<Self, FormError> {
        let boundary = Boundary::of(content_type)?;
        let (_, delimiter, rest) = split_at_delimiter(&boundary, body)
            .ok_or(FormError::Malformed(FormDefect::BoundaryNotFound))?;
        let (line_end, rest) = match delimiter {
            Delimiter::Opening(line_end) => (line_end, Some(rest)),
            Delimiter::Closing => (LineEnd::CrLf, None),
        };
        Ok(Self {
            boundary,
            line_end,
            rest,
        })
    }

    fn part(&self, bytes: &'a [u8]) -> Result<Part<'a>, FormError> {
        let (disposition, content) = split_headers(bytes)?;
        Ok(Part {
            name: disposition.name,
            file_name: disposition.file_name,
            content: self.without_line_end(content),
        })
    }

    /// Removes the line end that belongs to the next delimiter. There is none if the delimiter directly follows the
    /// headers.
    fn without_line_end(&self, content: &'a [u8]) -> &'a [u8] {
        let content = content.strip_suffix(b"\n").unwrap_or(content);
        match self.line_end {
            LineEnd::CrLf => content.strip_suffix(b"\r").unwrap_or(content),
            LineEnd::Lf => content,
        }
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Result<Part<'a>, FormError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        let Some((bytes, delimiter, rest)) = split_at_delimiter(&self.boundary, rest) else {
            return Some(Err(CUT_OFF));
        };
        let part = self.part(bytes);
        if part.is_ok() && delimiter != Delimiter::Closing {
            self.rest = Some(rest);
        }
        Some(part)
    }
}

/// Splits at the first delimiter: the bytes before its line, the delimiter, and the bytes after its line.
fn split_at_delimiter<'a>(
    boundary: &Boundary,
    bytes: &'a [u8],
) -> Option<(&'a [u8], Delimiter, &'a [u8])> {
    boundary.found_in(bytes).find_map(|start| {
        let line = &bytes[start..];
        let end = memchr(b'\n', line).map_or(line.len(), |end| end + 1);
        let delimiter = boundary.announced_by(&line[..end])?;
        Some((&bytes[..start], delimiter, &line[end..]))
    })
}

/// Splits a part into its disposition and its content. A file name may have control characters, although no header may.
/// They are replaced by spaces.
fn split_headers(part: &[u8]) -> Result<(Disposition, &[u8]), FormError> {
    let (disposition, end) = match parse_headers(part) {
        Err(FormError::Malformed(FormDefect::HeadersInvalid)) => {
            let mut start = part[..part.len().min(MAX_REPAIRED)].to_vec();
            for byte in &mut start {
                if byte.is_ascii_control() && !b"\t\r\n".contains(byte) {
                    *byte = b' ';
                }
            }
            parse_headers(&start)?
        }
        parsed => parsed?,
    };
    Ok((disposition, &part[end..]))
}

/// Parses the headers. Returns the disposition and the length of the headers.
fn parse_headers(part: &[u8]) -> Result<(Disposition, usize), FormError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let (end, headers) = match httparse::parse_headers(part, &mut headers) {
        Ok(httparse::Status::Complete(parsed)) => parsed,
        Ok(httparse::Status::Partial) => {
            return Err(FormError::Malformed(FormDefect::HeadersTruncated));
        }
        Err(_) => return Err(FormError::Malformed(FormDefect::HeadersInvalid)),
    };
    let disposition = headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-disposition"))
        .and_then(|header| Disposition::of(header.value))
        .ok_or(FormError::Malformed(FormDefect::NoName))?;
    Ok((disposition, end))
}

#[cfg(test)]
mod tests;
