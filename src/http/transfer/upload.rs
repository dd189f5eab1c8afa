//! Receiving: a body that has not come whole with its head, and the patience with its client.
//!
//! What it must not know: what the body holds, how it is bounded.
//! Invariants: as long as a body is received it has a place, its buffer is counted ([`INITIAL_BUFFER`] of it before any is
//! there), and somebody watches its pace: one of declared length has to keep a rate, one in chunks may pause if there is
//! patience left for its client; whatever it has is given back when it is dropped. What the connection has read ahead,
//! a chunk of at most 32 KiB or two, is the connection's and not counted.
//! Cost: a lock for a moment a chunk, and a timer whenever it has to be waited for.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use actix_web::dev;
use actix_web::web::Bytes;
use futures_core::Stream;

use crate::clock::Clock;
use crate::http::admission::RequestContext;
use crate::http::connection::wait_until;
use crate::http::error::ApiError;
use crate::http::transfer::resource_wait::ResourceWait;
use crate::overload::{BytePermit, Permit, Priority, QuotaError, ThroughputMonitor, Transfer};

/// Whether a body said how long it will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFraming {
    /// By Content-Length: its sender has it already.
    Declared,
    /// In chunks: its sender may be waiting for it too.
    Chunked,
}

/// Bytes that are counted of a body from its beginning, and its smallest buffer.
pub(crate) const INITIAL_BUFFER: usize = 16 * 1024;

/// A body that is being received.
pub(crate) struct Upload {
    framing: BodyFraming,
    pace: ThroughputMonitor,
    transfer: Transfer,
    room: BytePermit,
    /// Bytes that `room` is for.
    counted: usize,
    _place: Permit,
}

/// What a body that is waited for comes up with.
enum Event {
    Chunk(Option<Result<Bytes, actix_web::error::PayloadError>>),
    Cut,
    Look,
}

impl Upload {
    /// Waits for a place and the first room, if need be, and begins.
    pub(crate) async fn begin(
        context: &RequestContext<'_>,
        framing: BodyFraming,
    ) -> Result<Self, ApiError> {
        let state = context.state;
        let now = state.clock.elapsed();
        let client = context.request.client.key;
        let transfer = state
            .overload
            .start_transfer(now, client, Priority::Save, || ())?;
        let waiting = ResourceWait::new(state, &transfer);
        let place = waiting.place().await?;
        let room = waiting.room(Priority::Save, INITIAL_BUFFER).await?;
        Ok(Self {
            framing,
            pace: ThroughputMonitor::new(now),
            transfer,
            room,
            counted: INITIAL_BUFFER,
            _place: place,
        })
    }

    /// The next chunk; none at the end.
    pub(crate) async fn next(
        &mut self,
        clock: &Clock,
        payload: &mut dev::Payload,
    ) -> Result<Option<Bytes>, ApiError> {
        loop {
            match self.event(clock, payload).await {
                Event::Chunk(chunk) => {
                    let chunk = complete(chunk)?;
                    let length = chunk.as_ref().map_or(0, Bytes::len);
                    let now = clock.elapsed();
                    self.pace.record_progress(now, length as u64);
                    self.transfer.record_progress(now, length);
                    return Ok(chunk);
                }
                Event::Cut => return Err(ApiError::Overloaded),
                Event::Look => self.look(clock)?,
            }
        }
    }

    /// Counts a buffer of this size; waits for room, if need be.
    pub(crate) async fn count(
        &mut self,
        context: &RequestContext<'_>,
        size: usize,
    ) -> Result<(), ApiError> {
        if size > self.counted {
            let more = size - self.counted;
            let waiting = ResourceWait::new(context.state, &self.transfer);
            let more = waiting.room(Priority::Save, more).await?;
            self.room.merge(more);
            self.counted = size;
        }
        Ok(())
    }

    async fn event(&self, clock: &Clock, payload: &mut dev::Payload) -> Event {
        let mut look = pin!(wait_until(clock, self.pace.next_check()));
        let mut cut = pin!(self.transfer.cancelled());
        poll_fn(|context| {
            // First, or a body that always has more would never hear of it.
            if cut.as_mut().poll(context).is_ready() {
                return Poll::Ready(Event::Cut);
            }
            if let Poll::Ready(chunk) = Pin::new(&mut *payload).poll_next(context) {
                return Poll::Ready(Event::Chunk(chunk));
            }
            look.as_mut().poll(context).map(|()| Event::Look)
        })
        .await
    }

    /// Judges the pace of what is not there yet.
    fn look(&mut self, clock: &Clock) -> Result<(), ApiError> {
        let now = clock.elapsed();
        if self.pace.is_fast_enough(now) {
            return Ok(());
        }
        match self.framing {
            BodyFraming::Chunked if !self.pace.allows_pauses() => {
                self.transfer
                    .allow_pause(now)
                    .map_err(|error| match error {
                        QuotaError::OverShare => ApiError::TooManyPauses,
                        QuotaError::Cancelled => ApiError::Overloaded,
                    })?;
                self.pace.allow_pause();
                Ok(())
            }
            BodyFraming::Chunked | BodyFraming::Declared => Err(ApiError::TooSlow),
        }
    }
}

/// A chunk as the library hands it out, without the ways in which it can fail: the client hung up, or sent what is no
/// chunk. That is its business, and nothing is kept.
pub(crate) fn complete(
    chunk: Option<Result<Bytes, actix_web::error::PayloadError>>,
) -> Result<Option<Bytes>, ApiError> {
    chunk.transpose().map_err(|error| {
        tracing::debug!(%error, "a request body ended early");
        ApiError::Interrupted
    })
}

/// What is there of a body right now.
pub(crate) async fn ready(
    payload: &mut dev::Payload,
) -> Poll<Option<Result<Bytes, actix_web::error::PayloadError>>> {
    let look = |context: &mut Context<'_>| Poll::Ready(Pin::new(&mut *payload).poll_next(context));
    poll_fn(look).await
}
