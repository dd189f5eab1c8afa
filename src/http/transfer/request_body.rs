//! Request bodies: read to their end, but never beyond a limit, nor for longer than a client deserves.
//!
//! What it must not know: what they hold.
//! Invariants: what is compressed, or a part of something, is refused unread; no more than the limit is ever buffered,
//! plus one chunk of the connection's; a body that broke off is an error and never a shorter body; its bytes are charged
//! to its sender before they are buffered.
//! Cost: a body that came whole with its head is not copied and takes no place, no room and no timer; one that has to
//! be waited for takes all three from then on.

use std::task::Poll;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_RANGE, HeaderMap, HeaderValue};
use actix_web::web::{Bytes, BytesMut};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::transfer::upload::{BodyFraming, INITIAL_BUFFER, Upload, complete, ready};

/// A body whose buffer is no larger and that comes without a pause is not counted. Any other is counted from when it
/// first has to be waited for, or outgrows this: by its buffer, which grows with what has come and not with what a
/// client says will.
const SMALL: usize = 64 * 1024;

/// The whole body, at most as many bytes as `limit` allows for a body that starts so: it is asked once with nothing and
/// once with the first chunk. A refusal names `largest`: what a saver may send, whatever the wrapping is allowed.
pub(crate) async fn collect(
    context: &mut RequestContext<'_>,
    largest: usize,
    limit: impl Fn(&[u8]) -> usize,
) -> Result<Bytes, ApiError> {
    refuse_unusable(context.request.headers())?;
    let too_large = || ApiError::TooLarge(largest);
    let declared = context.request.declared_length;
    if declared.is_some_and(|length| length > limit(b"")) {
        return Err(too_large());
    }
    let mut source = Source {
        declared,
        upload: None,
    };
    let Some(first) = source.next(context).await? else {
        return Ok(Bytes::new());
    };
    let limit = limit(&first);
    if declared.unwrap_or(first.len()) > limit {
        return Err(too_large());
    }
    context.charges.reserve(first.len())?;
    let Some(second) = source.next(context).await? else {
        return Ok(first);
    };
    let mut body = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(chunk) = next {
        let length = body.len() + chunk.len();
        if length > limit {
            return Err(too_large());
        }
        context.charges.reserve(length)?;
        source.make_room(context, &mut body, length).await?;
        body.extend_from_slice(&chunk);
        next = source.next(context).await?;
    }
    Ok(body.freeze())
}

/// Bodies are taken as they are: unpacking them is how servers are made to run out of memory, and a part in the place of
/// the whole would lose the rest (RFC 9110, section 14.5).
fn refuse_unusable(headers: &HeaderMap) -> Result<(), ApiError> {
    if headers.contains_key(CONTENT_RANGE) {
        return Err(ApiError::Partial);
    }
    let is_identity = |value: &HeaderValue| {
        value.is_empty() || value.as_bytes().eq_ignore_ascii_case(b"identity")
    };
    if headers.get_all(CONTENT_ENCODING).all(is_identity) {
        Ok(())
    } else {
        Err(ApiError::Compressed)
    }
}

/// Where the chunks come from.
struct Source {
    declared: Option<usize>,
    /// From the first time that the body has to be waited for, or outgrows [`SMALL`].
    upload: Option<Upload>,
}

impl Source {
    async fn next(&mut self, context: &mut RequestContext<'_>) -> Result<Option<Bytes>, ApiError> {
        if self.upload.is_none()
            && let Poll::Ready(chunk) = ready(&mut context.payload).await
        {
            return complete(chunk);
        }
        let upload = self.started(context).await?;
        upload
            .next(&context.state.clock, &mut context.payload)
            .await
    }

    /// Makes the buffer large enough for this many bytes, and counts it.
    async fn make_room(
        &mut self,
        context: &RequestContext<'_>,
        body: &mut BytesMut,
        length: usize,
    ) -> Result<(), ApiError> {
        if length <= body.capacity() {
            return Ok(());
        }
        let most = self.declared.unwrap_or(usize::MAX).max(length);
        let size = (2 * length).clamp(INITIAL_BUFFER, most.max(INITIAL_BUFFER));
        if size > SMALL || self.upload.is_some() {
            let upload = self.started(context).await?;
            upload.count(context, size).await?;
        }
        body.reserve(size - body.len());
        Ok(())
    }

    /// The upload, started now if it was not before.
    async fn started(&mut self, context: &RequestContext<'_>) -> Result<&mut Upload, ApiError> {
        match &mut self.upload {
            Some(upload) => Ok(upload),
            none => {
                let framing = match self.declared {
                    Some(_) => BodyFraming::Declared,
                    None => BodyFraming::Chunked,
                };
                Ok(none.insert(Upload::begin(context, framing).await?))
            }
        }
    }
}
