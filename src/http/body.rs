//! Request bodies: read to their end, but never beyond a limit, nor for longer than a client deserves.
//!
//! What it must not know: what they hold.
//! Invariants: what is compressed, or a part of something, is refused unread; no more than the limit is ever buffered,
//! plus one chunk of the connection's; a body that broke off is an error and never a shorter body; its bytes are charged
//! to its sender before they are buffered.
//! Cost: a body that came whole with its head is not copied and takes no place, no room and no timer; one that has to
//! be waited for takes all three from then on.

use std::task::Poll;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, HeaderValue};
use actix_web::web::{Bytes, BytesMut};
use actix_web::{HttpRequest, dev};

use super::asker::Asker;
use super::problem::Problem;
use super::receiving::{FIRST, Framing, Receiving, complete, ready};

/// A body whose buffer is no larger and that comes without a pause is not counted. Any other is counted from when it
/// first has to be waited for, or outgrows this: by its buffer, which grows with what has come and not with what a
/// client says will.
const SMALL: usize = 64 * 1024;

/// The whole body, at most as many bytes as `limit` allows for a body that begins so; it is asked once with nothing and
/// once with the first chunk. A refusal names `largest`: what a saver may send, whatever the wrapping is allowed.
pub(crate) async fn collect(
    asker: &mut Asker<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    largest: usize,
    limit: impl Fn(&[u8]) -> usize,
) -> Result<Bytes, Problem> {
    refuse_unusable(request)?;
    let too_large = || Problem::TooLarge(largest);
    let declared = declared_length(request);
    if declared.is_some_and(|length| length > limit(b"")) {
        return Err(too_large());
    }
    let mut source = Source::new(payload, declared);
    let Some(first) = source.next(asker).await? else {
        return Ok(Bytes::new());
    };
    let limit = limit(&first);
    if declared.unwrap_or(first.len()) > limit {
        return Err(too_large());
    }
    asker.reserve(first.len())?;
    let Some(second) = source.next(asker).await? else {
        return Ok(first);
    };
    let mut body = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(chunk) = next {
        let length = body.len() + chunk.len();
        if length > limit {
            return Err(too_large());
        }
        asker.reserve(length)?;
        source.make_room(asker, &mut body, length).await?;
        body.extend_from_slice(&chunk);
        next = source.next(asker).await?;
    }
    Ok(body.freeze())
}

/// Bodies are taken as they are: unpacking them is how servers are made to run out of memory, and a part in the place of
/// the whole would lose the rest (RFC 9110, section 14.5).
fn refuse_unusable(request: &HttpRequest) -> Result<(), Problem> {
    let headers = request.headers();
    if headers.contains_key(CONTENT_RANGE) {
        return Err(Problem::Partial);
    }
    let is_none = |value: &HeaderValue| {
        value.is_empty() || value.as_bytes().eq_ignore_ascii_case(b"identity")
    };
    if headers.get_all(CONTENT_ENCODING).all(is_none) {
        Ok(())
    } else {
        Err(Problem::Compressed)
    }
}

/// Bytes that the body says it has; none if it comes in chunks.
pub(crate) fn declared_length(request: &HttpRequest) -> Option<usize> {
    request
        .headers()
        .get(CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// Where the chunks come from.
struct Source<'p> {
    payload: &'p mut dev::Payload,
    declared: Option<usize>,
    /// From the first time that something has to be waited for, or that more comes than is small.
    receiving: Option<Receiving>,
}

impl<'p> Source<'p> {
    fn new(payload: &'p mut dev::Payload, declared: Option<usize>) -> Self {
        Self {
            payload,
            declared,
            receiving: None,
        }
    }

    async fn next(&mut self, asker: &Asker<'_>) -> Result<Option<Bytes>, Problem> {
        if self.receiving.is_none()
            && let Poll::Ready(chunk) = ready(self.payload).await
        {
            return complete(chunk);
        }
        let framing = self.framing();
        let receiving = begun(&mut self.receiving, asker, framing).await?;
        receiving.next(&asker.service.clock, self.payload).await
    }

    /// Makes the buffer large enough for this many bytes, and counts it.
    async fn make_room(
        &mut self,
        asker: &Asker<'_>,
        body: &mut BytesMut,
        length: usize,
    ) -> Result<(), Problem> {
        if length <= body.capacity() {
            return Ok(());
        }
        let most = self.declared.unwrap_or(usize::MAX).max(length);
        let size = (2 * length).clamp(FIRST, most.max(FIRST));
        if size > SMALL || self.receiving.is_some() {
            let framing = self.framing();
            let receiving = begun(&mut self.receiving, asker, framing).await?;
            receiving.count(asker, size).await?;
        }
        body.reserve(size - body.len());
        Ok(())
    }

    fn framing(&self) -> Framing {
        match self.declared {
            Some(_) => Framing::Declared,
            None => Framing::Chunked,
        }
    }
}

/// The receiving, begun now if it was not before.
async fn begun<'r>(
    receiving: &'r mut Option<Receiving>,
    asker: &Asker<'_>,
    framing: Framing,
) -> Result<&'r mut Receiving, Problem> {
    match receiving {
        Some(receiving) => Ok(receiving),
        none => Ok(none.insert(Receiving::begin(asker, framing).await?)),
    }
}
