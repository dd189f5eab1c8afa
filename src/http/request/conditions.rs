//! Conditions of a request and the part of the bytes that it asks for (RFC 9110, sections 13 and 14).
//!
//! Invariants: tags are compared as they are written. A range is understood only as one range of bytes; several ranges
//! and malformed ones are answered whole, as the RFC allows.
//! Why not the framework's typed headers: they refuse the whole header for one malformed tag, and a range that ends
//! beyond 64 bits.

use std::ops::Range;

use actix_web::http::header::{
    HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, IF_RANGE, RANGE,
};

use super::method::Method;

/// The conditions of one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions<'a> {
    headers: &'a HeaderMap,
    has_if_none_match: bool,
    /// Of a GET alone.
    range: Option<&'a HeaderValue>,
}

/// Which bytes to answer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ByteRange {
    /// All of them.
    Whole,
    /// These.
    Part(Range<usize>),
    /// The range starts after the end.
    PastTheEnd,
}

impl<'a> Conditions<'a> {
    /// The conditions in these headers. A POST has none but `If-Match`: the RFC would have it answered with 412, and no
    /// client asks for that.
    pub(crate) fn of(method: Method, headers: &'a HeaderMap) -> Self {
        Self {
            headers,
            has_if_none_match: method != Method::Post && headers.contains_key(IF_NONE_MATCH),
            range: (method == Method::Get)
                .then(|| headers.get(RANGE))
                .flatten(),
        }
    }

    /// Whether the answer to a read depends on more than the address.
    pub(crate) fn any_of_read(&self) -> bool {
        self.has_if_none_match || self.range.is_some()
    }

    /// Whether the request names the content that it changes.
    pub(crate) fn names_content(&self) -> bool {
        self.headers.contains_key(IF_MATCH)
    }

    /// Whether `If-Match` accepts content with this tag. Content without a tag was never shown to everybody, so only `*`
    /// matches it.
    pub(crate) fn accept(&self, etag: Option<&HeaderValue>) -> bool {
        !self.names_content()
            || self
                .tags(IF_MATCH)
                .any(|tag| tag == b"*" || etag.is_some_and(|etag| tag == etag.as_bytes()))
    }

    /// Whether the client has the bytes with this tag already. The comparison is weak (RFC 9110, section 13.1.2).
    pub(crate) fn is_known(&self, etag: &HeaderValue) -> bool {
        self.has_if_none_match
            && self
                .tags(IF_NONE_MATCH)
                .any(|tag| tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes())
    }

    /// The part that the request asks for, of `length` bytes with this tag.
    pub(crate) fn byte_range(&self, etag: &HeaderValue, length: usize) -> ByteRange {
        match self.range.and_then(|range| range.to_str().ok()) {
            Some(range) if self.headers.get(IF_RANGE).is_none_or(|tag| tag == etag) => {
                parse_range(range, length)
            }
            Some(_) | None => ByteRange::Whole,
        }
    }

    /// The tags that a header names.
    fn tags(&self, header: HeaderName) -> impl Iterator<Item = &'a [u8]> {
        let values = self.headers.get_all(header);
        values
            .flat_map(|tags| tags.as_bytes().split(|byte| *byte == b','))
            .map(<[u8]>::trim_ascii)
    }
}

fn parse_range(range: &str, length: usize) -> ByteRange {
    let Some((unit, range)) = range.split_once('=') else {
        return ByteRange::Whole;
    };
    let Some((first, last)) = range.trim().split_once('-') else {
        return ByteRange::Whole;
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return ByteRange::Whole;
    }
    match (position(first), position(last)) {
        (Position::Nothing, Position::At(suffix)) => part(length.saturating_sub(suffix)..length),
        (Position::At(first), Position::Nothing) => part(first..length),
        (Position::At(first), Position::At(last)) if first <= last => {
            part(first..length.min(last.saturating_add(1)))
        }
        _ => ByteRange::Whole,
    }
}

fn part(range: Range<usize>) -> ByteRange {
    if range.is_empty() {
        ByteRange::PastTheEnd
    } else {
        ByteRange::Part(range)
    }
}

enum Position {
    At(usize),
    Nothing,
    Malformed,
}

/// Digits alone; more than can be counted is simply far beyond the end.
fn position(text: &str) -> Position {
    match text.trim() {
        "" => Position::Nothing,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Position::At(digits.parse().unwrap_or(usize::MAX))
        }
        _ => Position::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_understood_and_everything_else_is_answered_whole() {
        for (range, expected) in [
            ("bytes=0-0", ByteRange::Part(0..1)),
            ("bytes=2-5", ByteRange::Part(2..6)),
            ("bytes=2-", ByteRange::Part(2..10)),
            ("bytes=-3", ByteRange::Part(7..10)),
            ("bytes=-99", ByteRange::Part(0..10)),
            ("bytes=5-99", ByteRange::Part(5..10)),
            ("bytes=0-99999999999999999999999", ByteRange::Part(0..10)),
            ("Bytes = 1-2", ByteRange::Part(1..3)),
            ("bytes=10-", ByteRange::PastTheEnd),
            ("bytes=10-20", ByteRange::PastTheEnd),
            ("bytes=-0", ByteRange::PastTheEnd),
            ("bytes=5-2", ByteRange::Whole),
            ("bytes=0-1,3-4", ByteRange::Whole),
            ("bytes=-", ByteRange::Whole),
            ("bytes=a-b", ByteRange::Whole),
            ("bytes=", ByteRange::Whole),
            ("lines=1-2", ByteRange::Whole),
            ("", ByteRange::Whole),
        ] {
            assert_eq!(parse_range(range, 10), expected, "{range:?}");
        }
    }
}
