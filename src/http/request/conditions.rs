//! Conditional and range requests (RFC 9110, sections 13 and 14).
//!
//! Invariants:
//! - Entity tags are compared byte for byte.
//! - A single byte range is supported. Several ranges or a malformed one get the whole content, as the RFC allows.
//!
//! The typed headers of actix are not used. They reject the whole header for one malformed tag, and a range whose end
//! exceeds 64 bits.

use std::ops::Range;

use actix_web::http::header::{
    HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, IF_RANGE, RANGE,
};

use super::method::Method;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions<'a> {
    headers: &'a HeaderMap,
    has_if_none_match: bool,
    /// The `Range` header, which only a GET may use.
    range: Option<&'a HeaderValue>,
}

/// The part of the content to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ByteRange {
    Whole,
    Part(Range<usize>),
    /// The range selects no byte of the content (status 416).
    PastTheEnd,
}

impl<'a> Conditions<'a> {
    /// The conditions in these headers. `If-None-Match` is ignored on a POST: the RFC requires a 412 there, which no
    /// client asks for.
    pub(crate) fn of(method: Method, headers: &'a HeaderMap) -> Self {
        Self {
            headers,
            has_if_none_match: method != Method::Post && headers.contains_key(IF_NONE_MATCH),
            range: (method == Method::Get)
                .then(|| headers.get(RANGE))
                .flatten(),
        }
    }

    /// Returns whether a read has an `If-None-Match` or a range.
    pub(crate) fn any_of_read(&self) -> bool {
        self.has_if_none_match || self.range.is_some()
    }

    /// Returns whether the request has an `If-Match`, which ties a change to one version of the content.
    pub(crate) fn names_content(&self) -> bool {
        self.headers.contains_key(IF_MATCH)
    }

    /// Returns whether `If-Match` is absent or matches this tag. Protected content has no tag, so only `*` matches it.
    pub(crate) fn accept(&self, etag: Option<&HeaderValue>) -> bool {
        !self.names_content()
            || self
                .tags(IF_MATCH)
                .any(|tag| tag == b"*" || etag.is_some_and(|etag| tag == etag.as_bytes()))
    }

    /// Returns whether the client already has the content with this tag. The comparison is weak (RFC 9110, section
    /// 13.1.2).
    pub(crate) fn is_known(&self, etag: &HeaderValue) -> bool {
        self.has_if_none_match
            && self
                .tags(IF_NONE_MATCH)
                .any(|tag| tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes())
    }

    /// The requested part of the content with this tag; `length` is in bytes.
    pub(crate) fn byte_range(&self, etag: &HeaderValue, length: usize) -> ByteRange {
        let range = self.range.and_then(|range| range.to_str().ok());
        let range = range.filter(|_| self.headers.get(IF_RANGE).is_none_or(|tag| tag == etag));
        let range = range.and_then(|range| parse_range(range, length));
        range.unwrap_or(ByteRange::Whole)
    }

    /// The entity tags that a header lists.
    fn tags(&self, header: HeaderName) -> impl Iterator<Item = &'a [u8]> {
        let values = self.headers.get_all(header);
        values
            .flat_map(|tags| tags.as_bytes().split(|byte| *byte == b','))
            .map(<[u8]>::trim_ascii)
    }
}

/// Returns `None` if the range is malformed, or not one of bytes.
fn parse_range(range: &str, length: usize) -> Option<ByteRange> {
    let (unit, range) = range.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    let part = match (position(first)?, position(last)?) {
        (None, Some(suffix)) => length.saturating_sub(suffix)..length,
        (Some(first), None) => first..length,
        (Some(first), Some(last)) if first <= last => first..length.min(last.saturating_add(1)),
        _ => return None,
    };
    let is_of_bytes = unit.trim().eq_ignore_ascii_case("bytes");
    is_of_bytes.then_some(match part.is_empty() {
        true => ByteRange::PastTheEnd,
        false => ByteRange::Part(part),
    })
}

/// Parses digits only. Returns `None` if there is another character, and `Some(None)` without digits. A number too
/// large for `usize` is past the end of any content.
fn position(text: &str) -> Option<Option<usize>> {
    let digits = text.trim();
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_selects_a_part_and_anything_else_the_whole_content() {
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
            let part = parse_range(range, 10).unwrap_or(ByteRange::Whole);
            assert_eq!(part, expected, "{range:?}");
        }
    }
}
