//! Reading request bodies to their end, within a size limit and at a minimum throughput.
//!
//! Invariants:
//! - A partial body is rejected unread, and so is a compressed one, except on [a few routes](super::gzip). No more than
//!   the limit and one chunk is ever buffered.
//! - A body that ends early is an error. It is never taken for a shorter body. Bytes are charged to the client before
//!   they are buffered.
//! - A body that did not arrive whole with its head is an upload. What it has received takes bytes of the budget, at
//!   least [`INITIAL_BUFFER`]. Dropping the upload releases them. Chunks that the connection has read ahead, 64 KiB at
//!   most, are not counted.
//! - The throughput of an upload is monitored. A body of declared length has to keep a minimum rate, and a chunked body
//!   may pause. A client that exceeds its quota of pauses gets a 429.
//!
//! Cost: a body that arrives whole with its head is not copied, and takes no budget and no timer. Any other body takes
//! both as soon as the server has to wait for it.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::http::header::{
    CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, HeaderMap, HeaderValue,
};
use actix_web::web::{Bytes, BytesMut};
use futures_core::Stream;

use crate::http::admission::{Charges, RequestContext};
use crate::http::error::ApiError;
use crate::http::request::RequestError;
use crate::http::state::AppState;
use crate::http::transfer::resource_wait::{ResourceWait, deadline, wait};
use crate::overload::{Priority, QuotaError, Transfer};

/// The bytes of the budget that a body takes from its start. This is also the size of its smallest buffer. All
/// connections together cannot use up the default budget with bodies of which nothing arrives.
const INITIAL_BUFFER: usize = 8 * 1024;

/// The largest body, in bytes, that is buffered without taking bytes of the budget. A larger body takes them, and so
/// does one that the server has to wait for. They are counted by the size of the buffer. The buffer grows with the
/// received bytes, not with the declared length.
const MAX_UNCOUNTED: usize = 64 * 1024;

/// Reads the whole body. `limit` returns the maximum bytes of a body that starts with the given bytes. It is called
/// with an empty slice, and again with the first chunk.
///
/// # Errors
/// [`ApiError::TooLarge`] holds `largest`: the maximum bytes of content that a client may save, without the overhead of
/// its format.
pub(crate) async fn collect(
    context: &mut RequestContext<'_>,
    largest: usize,
    limit: impl Fn(&[u8]) -> usize,
) -> Result<Bytes, ApiError> {
    if is_gzip(context.request.headers())? {
        return Err(ApiError::Compressed);
    }
    collect_coded(context, largest, limit).await
}

/// As [`collect`], in the coding that the client chose.
pub(super) async fn collect_coded(
    context: &mut RequestContext<'_>,
    largest: usize,
    limit: impl Fn(&[u8]) -> usize,
) -> Result<Bytes, ApiError> {
    let declared = context.request.declared_length();
    let payload = &mut context.payload;
    collect_from(context.charges, payload, declared, largest, limit).await
}

/// Reads the whole body from `payload`. `declared` is its length in bytes if the client declared one.
///
/// # Errors
/// As [`collect`].
pub(crate) async fn collect_from(
    charges: &Charges,
    payload: &mut dev::Payload,
    declared: Option<usize>,
    largest: usize,
    limit: impl Fn(&[u8]) -> usize,
) -> Result<Bytes, ApiError> {
    let too_large = || ApiError::TooLarge(largest);
    if declared.is_some_and(|length| length > limit(b"")) {
        return Err(too_large());
    }
    let mut reader = BodyReader {
        charges,
        payload,
        declared,
        received: 0,
        upload: None,
    };
    let Some(first) = reader.next().await? else {
        return Ok(Bytes::new());
    };
    let limit = limit(&first);
    if declared.unwrap_or(first.len()) > limit {
        return Err(too_large());
    }
    charges.reserve(first.len())?;
    let Some(second) = reader.next().await? else {
        return Ok(first);
    };
    let mut body = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(chunk) = next {
        let length = body.len() + chunk.len();
        if length > limit {
            return Err(too_large());
        }
        charges.reserve(length)?;
        reader.grow_buffer(&mut body, length).await?;
        body.extend_from_slice(&chunk);
        next = reader.next().await?;
    }
    Ok(body.freeze())
}

/// Returns whether the body is in gzip. Rejects other codings, partial bodies, and bodies of an unclear type: a form could be stored as
/// text. If a partial body were saved as the whole, the rest would be lost (RFC 9110, section 14.5).
pub(super) fn is_gzip(headers: &HeaderMap) -> Result<bool, ApiError> {
    if headers.contains_key(CONTENT_RANGE) {
        return Err(ApiError::Partial);
    }
    let mut types = headers.get_all(CONTENT_TYPE);
    if types.next().is_some_and(|first| first.to_str().is_err()) || types.next().is_some() {
        return Err(RequestError::ContentType.into());
    }
    let is_identity = |value: &HeaderValue| {
        value.is_empty() || value.as_bytes().eq_ignore_ascii_case(b"identity")
    };
    let mut codings = headers
        .get_all(CONTENT_ENCODING)
        .filter(|it| !is_identity(it));
    match (codings.next(), codings.next()) {
        (None, _) => Ok(false),
        (Some(only), None) if only.as_bytes().eq_ignore_ascii_case(b"gzip") => Ok(true),
        _ => Err(ApiError::Compressed),
    }
}

/// Reads the chunks of a body.
struct BodyReader<'a> {
    charges: &'a Charges,
    payload: &'a mut dev::Payload,
    declared: Option<usize>,
    /// The bytes received so far.
    received: usize,
    /// `Some` as soon as the server has to wait for the body, or the body outgrows [`MAX_UNCOUNTED`].
    upload: Option<Upload<'a>>,
}

impl<'a> BodyReader<'a> {
    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        if self.upload.is_none() {
            let mut payload = Pin::new(&mut *self.payload);
            let polled = poll_fn(|context| Poll::Ready(payload.as_mut().poll_next(context))).await;
            if let Poll::Ready(chunk) = polled {
                return self.received(check_chunk(chunk)?);
            }
        }
        // Boxed: this future is large, and most bodies arrive with their heads.
        let receiving = async {
            let (upload, payload) = self.upload().await?;
            upload.next(payload).await
        };
        let chunk = Box::pin(receiving).await?;
        self.received(chunk)
    }

    fn received(&mut self, chunk: Option<Bytes>) -> Result<Option<Bytes>, ApiError> {
        self.received += chunk.as_ref().map_or(0, Bytes::len);
        Ok(chunk)
    }

    /// Makes the buffer large enough for `length` bytes, and takes its bytes from the budget.
    async fn grow_buffer(&mut self, body: &mut BytesMut, length: usize) -> Result<(), ApiError> {
        if length <= body.capacity() {
            return Ok(());
        }
        let most = self.declared.unwrap_or(usize::MAX).max(length);
        let size = (2 * length).clamp(INITIAL_BUFFER, most.max(INITIAL_BUFFER));
        if size > MAX_UNCOUNTED || self.upload.is_some() {
            let (upload, _) = Box::pin(self.upload()).await?;
            Box::pin(upload.count(size)).await?;
        }
        body.reserve(size - body.len());
        Ok(())
    }

    /// Returns the upload and its source. Starts the upload if there is none yet.
    async fn upload(&mut self) -> Result<(&mut Upload<'a>, &mut dev::Payload), ApiError> {
        let upload = match &mut self.upload {
            Some(upload) => upload,
            absent => {
                let is_chunked = self.declared.is_none();
                let upload = Upload::start(self.charges, is_chunked, self.received);
                absent.insert(upload.await?)
            }
        };
        Ok((upload, self.payload))
    }
}

/// A body that did not arrive whole with its head, and is being received.
struct Upload<'a> {
    state: &'a AppState,
    /// Whether the body is chunked: the client may itself wait for data, so it may pause. With a Content-Length, it
    /// usually has the whole body already.
    is_chunked: bool,
    transfer: Transfer,
}

impl<'a> Upload<'a> {
    /// Starts an upload of which these bytes have arrived. Waits for bytes of the budget if they are scarce.
    async fn start(
        charges: &'a Charges,
        is_chunked: bool,
        received: usize,
    ) -> Result<Self, ApiError> {
        let state = &*charges.state;
        let (now, handle) = (state.clock.elapsed(), &charges.connection.handle);
        let overload = &state.overload;
        let transfer = overload.start_transfer(handle, now, charges.client(), Priority::Save)?;
        let upload = Self {
            state,
            is_chunked,
            transfer,
        };
        upload.count(received.max(INITIAL_BUFFER)).await?;
        Ok(upload)
    }

    /// Returns the next chunk, or `None` at the end of the body.
    ///
    /// # Errors
    /// If the body arrives too slowly and may not pause, or if the upload is cancelled.
    async fn next(&mut self, payload: &mut dev::Payload) -> Result<Option<Bytes>, ApiError> {
        loop {
            let chunk = poll_fn(|context| Pin::new(&mut *payload).poll_next(context));
            let check = self.transfer.next_check();
            let chunk = wait(self.state, &self.transfer, check, chunk).await?;
            let now = self.state.clock.elapsed();
            if let Some(chunk) = chunk {
                let chunk = check_chunk(chunk)?;
                let length = chunk.as_ref().map_or(0, Bytes::len);
                self.transfer.record_progress(now, length);
                return Ok(chunk);
            }
            if self.transfer.is_fast_enough(now) {
                continue;
            }
            if !self.is_chunked || self.transfer.may_pause() {
                return Err(ApiError::TooSlow);
            }
            let allowed = self.transfer.allow_pause(now);
            allowed.map_err(|error| match error {
                QuotaError::OverShare => ApiError::TooManyPauses,
                QuotaError::Cancelled => ApiError::Overloaded,
            })?;
        }
    }

    /// Takes bytes of the budget for a buffer of `size` bytes in total. Waits for the bytes if they are scarce.
    async fn count(&self, size: usize) -> Result<(), ApiError> {
        let wait = ResourceWait {
            state: self.state,
            transfer: &self.transfer,
            deadline: deadline(self.state),
        };
        wait.bytes(Priority::Save, size).await
    }
}

/// Converts the error of a chunk: the client closed the connection, sent a malformed chunk, or too much around them.
fn check_chunk(chunk: Option<Result<Bytes, PayloadError>>) -> Result<Option<Bytes>, ApiError> {
    chunk.transpose().map_err(|error| match error {
        PayloadError::Overflow => ApiError::MostlyFraming,
        error => {
            tracing::debug!(%error, "a request body ended early");
            ApiError::Interrupted
        }
    })
}
