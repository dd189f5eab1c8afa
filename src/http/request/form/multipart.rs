//! Multipart forms (RFC 7578). Bare LF is accepted as a line end, because some shell scripts send it.
//!
//! Invariants:
//! - A form without its closing delimiter is rejected, so a truncated upload is never saved.
//! - Content is returned byte for byte. It starts after the empty line that ends the headers, and ends before the line
//!   end of the next delimiter.
//! - That line end is CRLF or LF. If the first delimiter ended with a bare LF, a CR before the LF is content. Otherwise
//!   the CR is part of the line end.
//! - A boundary has 1 to [`MAX_BOUNDARY`] bytes without control characters, so a delimiter never spans two lines.
//! - A delimiter is a whole line, except for trailing white space (RFC 2046, section 5.1.1). A line that only starts
//!   like a delimiter is content.
//!
//! Cost: the search is vectorized, and each byte is read a bounded number of times. Content is borrowed, and a part
//! allocates only its names.
//! The crate actix-multipart is not used because it requires CRLF. Its streaming is not needed: a body is bounded and
//! in memory.

use memchr::memchr;
use memchr::memmem::Finder;

use super::disposition::{Names, names, parameter};
use crate::http::request::error::RequestError;

/// The maximum bytes of a boundary. The standard allows 70; some clients may exceed that.
const MAX_BOUNDARY: usize = 200;
/// The maximum number of headers in one part. Clients send at most three.
const MAX_HEADERS: usize = 16;
/// The maximum bytes of headers in which a control character is replaced.
const MAX_REPAIRED: usize = 16 * 1024;

/// The defect of headers that cannot be parsed.
const HEADERS_INVALID: &str = "the headers of a part are invalid";

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
    /// The boundary and its two leading dashes.
    boundary: Finder<'static>,
    /// Whether lines end with a bare LF.
    ends_bare: bool,
    /// The bytes after the last delimiter; `None` after the closing one or an error.
    rest: Option<&'a [u8]>,
}

/// A delimiter, and the bytes around its line.
struct Delimiter<'a> {
    before: &'a [u8],
    line: &'a [u8],
    /// `None` if it ends the form.
    behind: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// Starts at the first delimiter of a body with this `Content-Type`. Bytes before it are skipped.
    pub(crate) fn of(content_type: &str, body: &'a [u8]) -> Result<Self, RequestError> {
        let boundary = boundary(content_type).map_err(RequestError::Malformed)?;
        let mut parts = Self {
            boundary,
            ends_bare: false,
            rest: None,
        };
        let first = parts.delimiter_in(body);
        let first = first.ok_or(RequestError::Malformed("its boundary does not occur in it"))?;
        parts.ends_bare = !first.line.ends_with(b"\r\n");
        parts.rest = first.behind;
        Ok(parts)
    }

    /// The first delimiter: a line with the boundary. An opening one needs a line end.
    fn delimiter_in<'b>(&self, bytes: &'b [u8]) -> Option<Delimiter<'b>> {
        // A boundary contains no line end, so two matches at line starts never overlap.
        let starts = self.boundary.find_iter(bytes);
        let mut starts = starts.filter(|start| *start == 0 || bytes[start - 1] == b'\n');
        starts.find_map(|start| {
            let (before, line) = bytes.split_at(start);
            let end = memchr(b'\n', line).map_or(line.len(), |end| end + 1);
            let (line, behind) = line.split_at(end);
            let mark = &line[self.boundary.needle().len()..];
            let (mark, behind) = match mark.strip_prefix(b"--") {
                Some(mark) => (mark, None),
                None if line.ends_with(b"\n") => (mark, Some(behind)),
                None => return None,
            };
            let mark = mark.strip_suffix(b"\n").unwrap_or(mark);
            let mark = mark.strip_suffix(b"\r").unwrap_or(mark);
            let is_whole = mark.iter().all(|byte| matches!(byte, b' ' | b'\t'));
            is_whole.then_some(Delimiter {
                before,
                line,
                behind,
            })
        })
    }

    fn part(&self, bytes: &'a [u8]) -> Result<Part<'a>, RequestError> {
        let ((name, file_name), end) = headers(bytes).map_err(RequestError::Malformed)?;
        // The line end belongs to the next delimiter. There is none if that directly follows the headers.
        let content = &bytes[end..];
        let content = content.strip_suffix(b"\n").unwrap_or(content);
        Ok(Part {
            name,
            file_name,
            content: match content.strip_suffix(b"\r") {
                Some(content) if !self.ends_bare => content,
                _ => content,
            },
        })
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Result<Part<'a>, RequestError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        let Some(delimiter) = self.delimiter_in(rest) else {
            return Some(Err(RequestError::Malformed("its end is missing")));
        };
        let part = self.part(delimiter.before);
        self.rest = delimiter.behind.filter(|_| part.is_ok());
        Some(part)
    }
}

/// Parses the boundary in this `Content-Type`, quoted or not.
fn boundary(content_type: &str) -> Result<Finder<'static>, &'static str> {
    let value =
        parameter(content_type.as_bytes(), "boundary").ok_or("its Content-Type has no boundary")?;
    match value.len() {
        0 => Err("its boundary is empty"),
        1..=MAX_BOUNDARY if value.iter().any(u8::is_ascii_control) => {
            Err("its boundary has control characters")
        }
        1..=MAX_BOUNDARY => Ok(Finder::new(&[b"--", value.as_slice()].concat()).into_owned()),
        _ => Err("its boundary is too long"),
    }
}

/// Parses the headers of a part. Returns the disposition and the length of the headers. A file name may have control
/// characters, although no header may. They are replaced by spaces.
fn headers(part: &[u8]) -> Result<(Names, usize), &'static str> {
    match parse_headers(part) {
        Err(HEADERS_INVALID) => {
            let mut start = part[..part.len().min(MAX_REPAIRED)].to_vec();
            for byte in &mut start {
                if byte.is_ascii_control() && !b"\t\r\n".contains(byte) {
                    *byte = b' ';
                }
            }
            parse_headers(&start)
        }
        parsed => parsed,
    }
}

fn parse_headers(part: &[u8]) -> Result<(Names, usize), &'static str> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let parsed = httparse::parse_headers(part, &mut headers);
    let httparse::Status::Complete((end, headers)) = parsed.map_err(|_| HEADERS_INVALID)? else {
        return Err("the headers of a part do not end");
    };
    let is_disposition =
        |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case("content-disposition");
    let disposition = headers.iter().find(is_disposition);
    let names = disposition.and_then(|header| names(header.value));
    Ok((names.ok_or("a part has no name")?, end))
}

#[cfg(test)]
mod tests;
