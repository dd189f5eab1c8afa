//! Bodies of answers: content in chunks, and refusals that keep an unread request open.
//!
//! What it must not know: what is answered.
//! Invariants: an answer of bytes holds the paste's own, never a copy of them (a page or a record is one); its length is
//! known beforehand; a large one is counted as under way until it is in the connection's buffer, and lets go of its
//! bytes at once when it is cut off for somebody else's sake, even if its reader has stopped reading.
//! Why chunks: the framework copies a body into its write buffer as it comes. A large one at once would make that
//! buffer as large as the paste; in chunks it stays small, and a slow reader pins the shared bytes alone.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::{self, Bytes};
use actix_web::{HttpResponse, dev};
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::http::admission::RequestContext;
use crate::http::connection::InFlightGuard;
use crate::http::error::ApiError;
use crate::http::transfer::resource_wait::{self, RenderPermit, ResourceWait};
use crate::overload::{BytePermit, Priority, Transfer};

/// Measured with a write buffer of about 128 KiB: such chunks cost a 100 KiB answer less than one piece does. What fits
/// one is not counted as under way: it is in the connection's buffer at once.
pub(crate) const CHUNK: usize = 16 * 1024;

/// The bytes as the body of an answer; waits for the room of this class if they are many and it is short.
pub(crate) async fn bytes_body(
    context: &RequestContext<'_>,
    class: Priority,
    bytes: Bytes,
) -> Result<BoxBody, ApiError> {
    if bytes.len() <= CHUNK {
        return Ok(BoxBody::new(bytes));
    }
    let reserved = ResponseReservation::new(context, class, bytes.len()).await?;
    reserved.fill(bytes).await
}

/// Many bytes, in chunks.
struct LargeBody {
    length: usize,
    rest: SharedBody,
    transfer: Transfer,
    clock: Clock,
}

/// What is still to be sent and the room that it has by then, shared with whatever may cut it off; nothing then.
type SharedBody = Arc<Mutex<Option<(Bytes, Option<BytePermit>)>>>;

/// The answer was cut off to make room for others.
#[derive(Debug)]
struct Aborted;

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a slow reader was cut off to make room")
    }
}

impl std::error::Error for Aborted {}

/// Room for a large answer that is yet to be made.
pub(crate) struct ResponseReservation<'a> {
    context: &'a RequestContext<'a>,
    class: Priority,
    /// Bytes that there is room for.
    counted: usize,
    rest: SharedBody,
    transfer: Transfer,
    /// How long it is waited for, by the server's clock.
    until: Duration,
}

impl<'a> ResponseReservation<'a> {
    /// Waits for so much room, if it is short.
    pub(crate) async fn new(
        context: &'a RequestContext<'a>,
        class: Priority,
        estimate: usize,
    ) -> Result<Self, ApiError> {
        let state = context.state;
        let rest: SharedBody = Arc::new(Mutex::new(Some((Bytes::new(), None))));
        let shared = Arc::clone(&rest);
        let cut = move || drop(shared.lock().take());
        let (now, client) = (state.clock.elapsed(), context.request.client.key);
        let transfer = state
            .overload
            .start_transfer(now, client, class, cut)
            .map_err(|_| ApiError::Crowded)?;
        let mut reserved = Self {
            context,
            class,
            counted: 0,
            rest,
            transfer,
            until: resource_wait::until(state),
        };
        reserved.grow(estimate).await?;
        Ok(reserved)
    }

    /// Leave to make it, no more of them at once than there are cores; waited for no longer than for the room before it.
    pub(crate) async fn acquire_render(&self) -> Result<RenderPermit, ApiError> {
        self.waiting().render(self.context.request.client.key).await
    }

    /// The answer and what else there is to say of it, made where nobody waits for it but who asked.
    pub(crate) async fn make<T: Send + 'static>(
        self,
        rendering: RenderPermit,
        make: impl FnOnce() -> (T, Bytes) + Send + 'static,
    ) -> Result<(T, BoxBody), ApiError> {
        let work = move || {
            // Held by the work and not by who waits for it: that one may hang up meanwhile.
            let _rendering = rendering;
            make()
        };
        let (what, bytes) = web::block(work).await.map_err(|error| {
            tracing::error!(%error, "a page could not be made");
            ApiError::Overloaded
        })?;
        Ok((what, self.fill(bytes).await?))
    }

    /// The answer; waits for more room if it is larger than it was thought.
    pub(crate) async fn fill(mut self, bytes: Bytes) -> Result<BoxBody, ApiError> {
        let length = bytes.len();
        self.until = resource_wait::until(self.context.state);
        self.grow(length).await?;
        match &mut *self.rest.lock() {
            Some((rest, _)) => *rest = bytes,
            // Cut before it was there.
            None => return Err(ApiError::Overloaded),
        }
        Ok(BoxBody::new(LargeBody {
            length,
            rest: self.rest,
            transfer: self.transfer,
            clock: self.context.state.clock.clone(),
        }))
    }

    /// The answer, with room or without: what was read for the last time cannot be asked for again.
    pub(crate) async fn fill_in_any_case(self, bytes: Bytes) -> BoxBody {
        let filled = self.fill(bytes.clone()).await;
        filled.unwrap_or_else(|_| BoxBody::new(bytes))
    }

    fn waiting(&self) -> ResourceWait<'_> {
        ResourceWait::until(self.context.state, &self.transfer, self.until)
    }

    async fn grow(&mut self, size: usize) -> Result<(), ApiError> {
        let Some(more) = size.checked_sub(self.counted).filter(|more| *more > 0) else {
            return Ok(());
        };
        let taken = self.waiting().room(self.class, more).await?;
        match &mut *self.rest.lock() {
            Some((_, Some(room))) => room.merge(taken),
            Some((_, room)) => *room = Some(taken),
            // Cut as soon as it had its room.
            None => return Err(ApiError::Overloaded),
        }
        self.counted = size;
        Ok(())
    }
}

impl MessageBody for LargeBody {
    type Error = Aborted;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.length as u64)
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let chunk = match &mut *self.rest.lock() {
            None => return Poll::Ready(Some(Err(Aborted))),
            Some((rest, _)) if rest.is_empty() => return Poll::Ready(None),
            Some((rest, _)) => {
                let length = rest.len().min(CHUNK);
                rest.split_to(length)
            }
        };
        self.transfer
            .record_progress(self.clock.elapsed(), chunk.len());
        Poll::Ready(Some(Ok(chunk)))
    }
}

/// A body that holds on to something else until it is sent.
pub(crate) struct BodyWithGuard<T> {
    body: BoxBody,
    _held: T,
}

/// The body of every answer: its request is being answered until all of it is in the connection's buffer.
pub(crate) type AnswerBody = BodyWithGuard<Option<InFlightGuard>>;

impl<T> BodyWithGuard<T> {
    /// This body, which holds this.
    pub(crate) fn new(body: BoxBody, held: T) -> Self {
        Self { body, _held: held }
    }
}

impl<T: Unpin> MessageBody for BodyWithGuard<T> {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}

/// The same answer, holding the request's body until it is sent.
///
/// A request whose body nobody holds is read to its end, however long it is, before the connection serves another or
/// closes. One that is still held when its answer is complete is closed instead: the answer goes out, the client may
/// send for a few more seconds into the void, and then reads the answer instead of a reset.
pub(crate) fn hold_request(answer: HttpResponse, request: dev::Payload) -> HttpResponse {
    answer.map_body(|_, body| BoxBody::new(BodyWithGuard::new(body, request)))
}
