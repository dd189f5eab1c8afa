//! An upload in progress: a request body that did not arrive whole with its head.
//!
//! Invariants: an upload has a slot, and its buffer takes bytes of the budget, at least [`INITIAL_BUFFER`]. The
//! throughput is monitored. A body of declared length has to keep a minimum rate, and a chunked body may pause. A
//! client that exceeds its quota of pauses gets a 429. Dropping the upload releases everything. Chunks that the
//! connection has read ahead, 64 KiB at most, are not counted.
//! Cost: a timer whenever the server waits for the body.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_core::Stream;

use crate::fairness::ClientKey;
use crate::http::error::ApiError;
use crate::http::state::AppState;
use crate::http::transfer::resource_wait::{ResourceWait, deadline, wait};
use crate::overload::{BytePermit, Permit, Priority, QuotaError, Transfer};

/// The bytes of the budget that a body takes from its start. This is also the size of its smallest buffer.
pub(crate) const INITIAL_BUFFER: usize = 16 * 1024;

/// A body that is being received.
pub(crate) struct Upload<'a> {
    state: &'a AppState,
    /// Whether the body is chunked: the client may itself wait for data, so it may pause. With a Content-Length, it
    /// usually has the whole body already.
    is_chunked: bool,
    transfer: Transfer,
    permit: BytePermit,
    /// The number of bytes that `permit` covers.
    counted: usize,
    _slot: Permit,
}

impl<'a> Upload<'a> {
    /// Starts an upload. Waits for a slot and for [`INITIAL_BUFFER`] bytes if they are scarce.
    pub(crate) async fn start(
        state: &'a AppState,
        client: ClientKey,
        is_chunked: bool,
    ) -> Result<Self, ApiError> {
        let now = state.clock.elapsed();
        let transfer = state
            .overload
            .start_transfer(now, client, Priority::Save, || ())?;
        let wait = wait_of(state, &transfer);
        let slot = wait.upload_slot().await?;
        let permit = wait.bytes(Priority::Save, INITIAL_BUFFER).await?;
        Ok(Self {
            state,
            is_chunked,
            transfer,
            permit,
            counted: INITIAL_BUFFER,
            _slot: slot,
        })
    }

    /// Returns the next chunk, or `None` at the end of the body.
    ///
    /// # Errors
    /// If the body arrives too slowly and may not pause, or if the upload is cancelled.
    pub(crate) async fn next(
        &mut self,
        payload: &mut dev::Payload,
    ) -> Result<Option<Bytes>, ApiError> {
        loop {
            let chunk = poll_fn(|context| Pin::new(&mut *payload).poll_next(context));
            let check = self.transfer.next_check();
            let chunk = wait(self.state, &self.transfer, check, chunk).await?;
            let now = self.state.clock.elapsed();
            // Asked first: bytes after a good period count for the next one.
            let is_fast_enough = self.transfer.is_fast_enough(now);
            if let Some(chunk) = chunk {
                let chunk = check_chunk(chunk)?;
                let length = chunk.as_ref().map_or(0, Bytes::len);
                self.transfer.record_progress(now, length);
                return Ok(chunk);
            }
            if is_fast_enough {
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
    pub(crate) async fn count(&mut self, size: usize) -> Result<(), ApiError> {
        if size > self.counted {
            let more = size - self.counted;
            let wait = wait_of(self.state, &self.transfer);
            self.permit.merge(wait.bytes(Priority::Save, more).await?);
            self.counted = size;
        }
        Ok(())
    }
}

/// The wait of this upload from now on.
fn wait_of<'a>(state: &'a AppState, transfer: &'a Transfer) -> ResourceWait<'a> {
    let deadline = deadline(state);
    ResourceWait {
        state,
        transfer,
        deadline,
    }
}

/// Converts the error of a chunk: the client closed the connection, sent a malformed chunk, or too much around them.
pub(crate) fn check_chunk(
    chunk: Option<Result<Bytes, PayloadError>>,
) -> Result<Option<Bytes>, ApiError> {
    chunk.transpose().map_err(|error| match error {
        PayloadError::Overflow => ApiError::MostlyFraming,
        error => {
            tracing::debug!(%error, "a request body ended early");
            ApiError::Interrupted
        }
    })
}

/// Polls the body once. Returns `Pending` if no chunk has arrived yet.
pub(crate) async fn poll_chunk(
    payload: &mut dev::Payload,
) -> Poll<Option<Result<Bytes, PayloadError>>> {
    let poll = |context: &mut Context<'_>| Poll::Ready(Pin::new(&mut *payload).poll_next(context));
    poll_fn(poll).await
}
