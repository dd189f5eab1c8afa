//! Request bodies: read to their end, but never beyond a limit.
//!
//! What it must not know: what they hold.
//! Invariants: no more than the limit is ever buffered, plus one chunk of the connection's; a body that broke off is
//! an error and never a shorter body.
//! Cost: a body that came in one piece is not copied.

use std::future::poll_fn;
use std::pin::Pin;

use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::{Bytes, BytesMut};
use actix_web::{HttpRequest, dev};
use futures_core::Stream;

use super::problem::Problem;

/// Reserved at once for a body that says it is large; a client that only says so gets no more than this.
const RESERVED: usize = 64 * 1024;

/// The whole body, at most as many bytes as `limit` allows for a body that begins so; it is asked once with nothing and
/// once with the first chunk. A refusal names `largest`: what a saver may send, whatever the wrapping is allowed.
pub(crate) async fn collect(
    request: &HttpRequest,
    payload: &mut dev::Payload,
    largest: usize,
    limit: impl Fn(&[u8]) -> usize,
) -> Result<Bytes, Problem> {
    let too_large = || Problem::TooLarge(largest);
    let declared = declared_length(request);
    if declared.is_some_and(|length| length > limit(b"")) {
        return Err(too_large());
    }
    let Some(first) = next_chunk(payload).await? else {
        return Ok(Bytes::new());
    };
    let limit = limit(&first);
    if declared.unwrap_or(first.len()) > limit {
        return Err(too_large());
    }
    let Some(second) = next_chunk(payload).await? else {
        return Ok(first);
    };
    let mut body = BytesMut::with_capacity(
        declared
            .unwrap_or(0)
            .clamp(first.len(), RESERVED.max(first.len())),
    );
    body.extend_from_slice(&first);
    drop(first);
    let mut next = Some(second);
    while let Some(chunk) = next {
        if body.len() + chunk.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
        next = next_chunk(payload).await?;
    }
    Ok(body.freeze())
}

fn declared_length(request: &HttpRequest) -> Option<usize> {
    request
        .headers()
        .get(CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

async fn next_chunk(payload: &mut dev::Payload) -> Result<Option<Bytes>, Problem> {
    match poll_fn(|context| Pin::new(&mut *payload).poll_next(context)).await {
        Some(Ok(bytes)) => Ok(Some(bytes)),
        // The client hung up, or sent what is no chunk: its business, and nothing is kept.
        Some(Err(error)) => {
            tracing::debug!(%error, "a request body ended early");
            Err(Problem::Interrupted)
        }
        None => Ok(None),
    }
}
