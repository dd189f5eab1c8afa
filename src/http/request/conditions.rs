//! Conditional requests and partial reads (RFC 9110, sections 13 and 14): entity tags and byte ranges.
//!
//! What it must not know: what is read.
//! Invariants: a tag is strong: it names exactly these bytes. A range is understood only as one range; several, or
//! what is none, are answered whole, as the RFC allows.

use std::ops::Range;

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, IF_RANGE, RANGE};

use crate::http::error::api_error::ApiError;
use crate::paste::{Paste, StoredPaste};

/// Which bytes to answer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ByteRange {
    /// All of them.
    Whole,
    /// These, of those asked for.
    Part(Range<usize>),
    /// None: the range begins after the end.
    PastTheEnd,
}

/// The tag of a paste's bytes. The moment they were saved and their length do for it: an address is given once and no
/// two contents that it had one after another are of the same moment, so tags only ever meet under the same address.
pub(crate) fn etag(paste: &Paste) -> HeaderValue {
    // Every read has one, so it is not written by the machinery of `format!`.
    let mut tag = Tag::new();
    tag.put(b'"');
    tag.put_hexadecimal(paste.bytes().len() as u64);
    tag.put(b'-');
    tag.put_hexadecimal(paste.saved().as_millis());
    tag.put(b'"');
    HeaderValue::from_bytes(tag.text()).unwrap_or(HeaderValue::from_static("\"\""))
}

/// A tag in the making, from its end to its beginning.
struct Tag {
    text: [u8; Self::LONGEST],
    start: usize,
}

impl Tag {
    /// Two numbers of 64 bits, two quotes and a dash.
    const LONGEST: usize = 2 * 16 + 3;

    fn new() -> Self {
        Self {
            text: [0; Self::LONGEST],
            start: Self::LONGEST,
        }
    }

    fn put(&mut self, character: u8) {
        self.start -= 1;
        self.text[self.start] = character;
    }

    fn put_hexadecimal(&mut self, number: u64) {
        let digits = (number.max(1).ilog2() / 4) + 1;
        for nth in 0..digits {
            let digit = usize::from((number >> (4 * nth)).to_le_bytes()[0] & 0xf);
            self.put(b"0123456789abcdef"[digit]);
        }
    }

    fn text(&self) -> &[u8] {
        &self.text[self.start..]
    }
}

/// Refuses what is to be done with other bytes than these: the request names the tags that they may have. Bytes that are
/// not for everybody never showed theirs, so none is right.
pub(crate) fn refuse_stale(request: &HttpRequest, kept: &StoredPaste) -> Result<(), ApiError> {
    if !request.headers().contains_key(IF_MATCH) {
        return Ok(());
    }
    let etag = kept.clone().open().map(|paste| etag(&paste)).ok();
    let is_named = tags(request, IF_MATCH)
        .any(|tag| tag == b"*" || etag.as_ref().is_some_and(|etag| tag == etag.as_bytes()));
    is_named.then_some(()).ok_or(ApiError::Stale)
}

/// The tags that a header names.
fn tags(request: &HttpRequest, header: HeaderName) -> impl Iterator<Item = &[u8]> {
    let values = request.headers().get_all(header);
    values
        .flat_map(|tags| tags.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
}

/// Whether the answer depends on more than the address.
pub(crate) fn is_conditional(request: &HttpRequest) -> bool {
    let headers = request.headers();
    request.method() != Method::POST
        && (headers.contains_key(IF_NONE_MATCH) || headers.contains_key(RANGE))
}

/// Whether the client has these bytes already.
pub(crate) fn is_known(request: &HttpRequest, etag: &HeaderValue) -> bool {
    // Of what is posted the RFC would have 412, and nobody asks for that.
    if request.method() == Method::POST {
        return false;
    }
    tags(request, IF_NONE_MATCH).any(|tag| {
        // A weak comparison, as the RFC asks for here.
        tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes()
    })
}

/// The part that the request asks for, of `length` bytes.
pub(crate) fn byte_range(request: &HttpRequest, etag: &HeaderValue, length: usize) -> ByteRange {
    let headers = request.headers();
    let same = headers.get(IF_RANGE).is_none_or(|tag| tag == etag);
    match headers.get(RANGE).and_then(|range| range.to_str().ok()) {
        Some(range) if same && request.method() == Method::GET => parse_range(range, length),
        _ => ByteRange::Whole,
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
    fn numbers_of_a_tag_are_hexadecimal_as_they_are_usually_written() {
        for number in [0, 1, 9, 15, 16, 0xab_cdef, u64::MAX] {
            let mut tag = Tag::new();
            tag.put_hexadecimal(number);
            assert_eq!(tag.text(), format!("{number:x}").as_bytes());
        }
    }

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
