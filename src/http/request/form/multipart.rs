//! Multipart forms (RFC 7578), as lenient with line ends as real clients need: some shell scripts send bare LF.
//!
//! What it must not know: what the fields mean; [`Parts`] serves any form, [`parse`] the one that saves.
//! Invariants: a form without its closing delimiter is refused, so a cut-off upload is never half saved; between the
//! empty line behind a part's headers and the line end before the next delimiter, content is kept byte for byte.
//! That line end is CRLF or LF. What is before the LF can be the content's own CR: if the first delimiter was followed
//! by a bare LF it is and stays, else it belongs to the line end and goes.
//! Cost: each byte is looked at a bounded number of times; content is borrowed; a part allocates its names only.
//! Why not actix-multipart: it insists on CRLF. A body is bounded and in memory anyway, so nothing needs a stream.

use std::borrow::Cow;

use memchr::memchr;

use super::boundary::{Boundary, Delimiter, LineEnd};
use super::builder::Builder;
use super::disposition::Disposition;
use super::{FormError, SaveForm};

/// Headers of one part; clients send three at most.
const MAX_HEADERS: usize = 16;

const CUT_OFF: FormError = FormError::Malformed("its end is missing");

/// Whether a body of this `Content-Type` is a multipart form.
pub(crate) fn is_multipart(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default();
    media_type
        .trim()
        .eq_ignore_ascii_case("multipart/form-data")
}

/// The form that saves, in a body of this `Content-Type`.
pub(crate) fn parse<'a>(content_type: &str, body: &'a [u8]) -> Result<SaveForm<'a>, FormError> {
    let mut form = Builder::default();
    for part in Parts::of(content_type, body)? {
        let part = part?;
        form.add(&part.name, Cow::Borrowed(part.content), part.file_name)?;
    }
    form.finish()
}

/// One field of a form.
pub(crate) struct Part<'a> {
    /// The field's name, not empty.
    pub(crate) name: String,
    /// The file's name, maybe empty; none if the field is no file.
    pub(crate) file_name: Option<String>,
    /// The exact bytes, maybe none.
    pub(crate) content: &'a [u8],
}

/// The parts of a body, in the order sent. They are a form only once all were read without an error: that the body is
/// whole shows at its end.
pub(crate) struct Parts<'a> {
    boundary: Boundary,
    line_end: LineEnd,
    /// What is behind the last delimiter; none behind the closing one, or behind an error.
    rest: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// The parts of a body of this `Content-Type`; whatever is before the first delimiter is skipped.
    pub(crate) fn of(content_type: &str, body: &'a [u8]) -> Result<Self, FormError> {
        let boundary = Boundary::of(content_type)?;
        let (_, delimiter, rest) = split_at_delimiter(&boundary, body)
            .ok_or(FormError::Malformed("its boundary is nowhere in it"))?;
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

    /// The content without the line end that belongs to the delimiter behind it. A delimiter right behind the empty
    /// line has none.
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

/// What is before the line of the first delimiter, the delimiter, and what is behind its line.
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

/// What the headers of a part say, and what is behind the empty line that ends them.
fn split_headers(part: &[u8]) -> Result<(Disposition, &[u8]), FormError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let (end, headers) = match httparse::parse_headers(part, &mut headers) {
        Ok(httparse::Status::Complete(parsed)) => parsed,
        Ok(httparse::Status::Partial) => {
            return Err(FormError::Malformed("the headers of a part have no end"));
        }
        Err(_) => return Err(FormError::Malformed("the headers of a part are none")),
    };
    let disposition = headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-disposition"))
        .and_then(|header| Disposition::of(header.value))
        .ok_or(FormError::Malformed("a part of it has no name"))?;
    Ok((disposition, &part[end..]))
}

#[cfg(test)]
mod tests;
