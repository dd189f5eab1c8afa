//! An upload in progress: a request body that did not arrive whole with its head.
//!
//! Invariants: an upload has a slot, and its buffer takes bytes of the budget, at least [`INITIAL_BUFFER`]. The
//! throughput is monitored. A body of declared length has to keep a minimum rate, and a chunked body may pause. A
//! client that exceeds its quota of pauses gets a 429. Dropping the upload releases everything. Chunks that the
//! connection has read ahead, 64 KiB at most, are not counted.
//! Cost: a timer whenever the server waits for the body.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_core::Stream;

use crate::fairness::ClientKey;
use crate::http::connection::wait_until;
use crate::http::error::ApiError;
use crate::http::state::AppState;
use crate::http::transfer::resource_wait::ResourceWait;
use crate::overload::{BytePermit, Permit, Priority, QuotaError, ThroughputMonitor, Transfer};

/// The header that defines the end of a body (RFC 9112, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFraming {
    /// Content-Length: the client usually has the whole body already.
    Declared,
    /// Chunked: the client may itself wait for data, so it may pause.
    Chunked,
}

/// The bytes of the budget that a body takes from its start. This is also the size of its smallest buffer.
pub(crate) const INITIAL_BUFFER: usize = 16 * 1024;

/// A body that is being received.
pub(crate) struct Upload<'a> {
    state: &'a AppState,
    framing: BodyFraming,
    throughput: ThroughputMonitor,
    transfer: Transfer,
    permit: BytePermit,
    /// The number of bytes that `permit` covers.
    counted: usize,
    _slot: Permit,
}

/// The next event while the server waits for a body.
enum Event {
    Chunk(Option<Result<Bytes, PayloadError>>),
    Cancelled,
    CheckThroughput,
}

impl<'a> Upload<'a> {
    /// Starts an upload. Waits for a slot and for [`INITIAL_BUFFER`] bytes if they are scarce.
    pub(crate) async fn start(
        state: &'a AppState,
        client: ClientKey,
        framing: BodyFraming,
    ) -> Result<Self, ApiError> {
        let now = state.clock.elapsed();
        let transfer = state
            .overload
            .start_transfer(now, client, Priority::Save, || ())?;
        let wait = ResourceWait::new(state, &transfer);
        let slot = wait.upload_slot().await?;
        let permit = wait.bytes(Priority::Save, INITIAL_BUFFER).await?;
        Ok(Self {
            state,
            framing,
            throughput: ThroughputMonitor::new(now),
            transfer,
            permit,
            counted: INITIAL_BUFFER,
            _slot: slot,
        })
    }

    /// Returns the next chunk, or `None` at the end of the body.
    pub(crate) async fn next(
        &mut self,
        payload: &mut dev::Payload,
    ) -> Result<Option<Bytes>, ApiError> {
        loop {
            match self.event(payload).await {
                Event::Chunk(chunk) => {
                    let chunk = check_chunk(chunk)?;
                    let length = chunk.as_ref().map_or(0, Bytes::len);
                    let now = self.state.clock.elapsed();
                    self.throughput.record_progress(now, length as u64);
                    self.transfer.record_progress(now, length);
                    return Ok(chunk);
                }
                Event::Cancelled => return Err(ApiError::Overloaded),
                Event::CheckThroughput => self.check_throughput()?,
            }
        }
    }

    /// Takes bytes of the budget for a buffer of `size` bytes in total. Waits for the bytes if they are scarce.
    pub(crate) async fn count(&mut self, size: usize) -> Result<(), ApiError> {
        if size > self.counted {
            let more = size - self.counted;
            let wait = ResourceWait::new(self.state, &self.transfer);
            let more = wait.bytes(Priority::Save, more).await?;
            self.permit.merge(more);
            self.counted = size;
        }
        Ok(())
    }

    async fn event(&self, payload: &mut dev::Payload) -> Event {
        let mut check = pin!(wait_until(&self.state.clock, self.throughput.next_check()));
        let mut cancelled = pin!(self.transfer.cancelled());
        poll_fn(|context| {
            // Polled first: a body that always has more data would otherwise never be cancelled.
            if cancelled.as_mut().poll(context).is_ready() {
                return Poll::Ready(Event::Cancelled);
            }
            if let Poll::Ready(chunk) = Pin::new(&mut *payload).poll_next(context) {
                return Poll::Ready(Event::Chunk(chunk));
            }
            check
                .as_mut()
                .poll(context)
                .map(|()| Event::CheckThroughput)
        })
        .await
    }

    /// Returns an error if the body arrives too slowly and may not pause.
    fn check_throughput(&mut self) -> Result<(), ApiError> {
        let now = self.state.clock.elapsed();
        if self.throughput.is_fast_enough(now) {
            return Ok(());
        }
        match self.framing {
            BodyFraming::Chunked if !self.throughput.allows_pauses() => {
                self.transfer
                    .allow_pause(now)
                    .map_err(|error| match error {
                        QuotaError::OverShare => ApiError::TooManyPauses,
                        QuotaError::Cancelled => ApiError::Overloaded,
                    })?;
                self.throughput.allow_pause();
                Ok(())
            }
            BodyFraming::Chunked | BodyFraming::Declared => Err(ApiError::TooSlow),
        }
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
