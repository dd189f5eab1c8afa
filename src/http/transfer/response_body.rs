//! Response bodies: content in chunks, and errors that keep an unread request open.
//!
//! Invariants: a body shares the bytes of its paste and never copies them. (A page or a record is itself a copy.) Its
//! length is known before it is sent. A large body takes bytes of the budget until all of it is in the connection's
//! buffer. It may be revoked so that others get its bytes. Then its connection gives them back at once, even if its
//! client has stopped reading. That of an open paste goes on as long as the paste is stored, and holds no bytes between
//! chunks.
//!
//! Why chunks: the framework copies a body into its write buffer as it is polled. One large piece would make that
//! buffer as large as the paste. With chunks the buffer stays small, and a slow client holds on to the shared bytes
//! only.

use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::{self, Bytes};
use actix_web::{HttpResponse, dev};
use thiserror::Error;

use crate::clock::Clock;
use crate::fairness::ClientKey;
use crate::http::admission::{LOAD_USE, RequestContext};
use crate::http::connection::{ConnectionState, InFlightGuard};
use crate::http::error::ApiError;
use crate::http::transfer::resource_wait::{self, RenderPermit, ResourceWait};
use crate::overload::{Priority, Transfer, TurnQueue};
use crate::paste::{Paste, PasteId, Revision};
use crate::store::Store;

/// Bytes of a chunk. With a write buffer of about 128 KiB, a response of 100 KiB is sent faster in such chunks than in
/// one piece (measured). A body of one chunk takes no bytes of the budget: it is in the connection's buffer at once.
pub(crate) const CHUNK: usize = 16 * 1024;

/// The time that deriving a key is expected to take.
const KEY_TIME: Duration = Duration::from_millis(20);

/// Makes a response body of the bytes. A body larger than [`CHUNK`] takes bytes of the budget. This waits while the
/// budget has too few bytes for the priority.
pub(crate) async fn bytes_body(
    context: &RequestContext<'_>,
    priority: Priority,
    bytes: Bytes,
) -> Result<BoxBody, ApiError> {
    if bytes.len() <= CHUNK {
        return Ok(BoxBody::new(bytes));
    }
    // Boxed: this future is large, and most responses are small.
    let filling = async {
        let reserved = ResponseReservation::new(context, priority, bytes.len()).await?;
        reserved.fill(bytes).await
    };
    Box::pin(filling).await
}

/// Makes a response body of a part of an open paste. If the budget has too few bytes, it waits for none if the paste is
/// in memory: the store lends each chunk.
pub(crate) async fn paste_body(
    context: &RequestContext<'_>,
    paste: &Paste,
    part: Range<usize>,
) -> Result<BoxBody, ApiError> {
    let bytes = Bytes::from_owner(Arc::clone(paste.bytes())).slice(part.clone());
    if bytes.len() <= CHUNK {
        return Ok(BoxBody::new(bytes));
    }
    // Boxed: this future is large, and most responses are small.
    let filling = async {
        let mut reserved = ResponseReservation::new(context, Priority::Read, 0).await?;
        let app = &context.state.app;
        let id = app.id(context.request.address().id);
        reserved.lender = id.map(|id| Lender {
            store: Arc::clone(&app.store),
            loads: Arc::clone(&context.state.overload.loads),
            client: context.charges.client(),
            clock: context.state.clock.clone(),
            paste: (id, paste.revision()),
            start: part.start,
        });
        reserved.fill(bytes).await
    };
    Box::pin(filling).await
}

/// Makes a response body of about `estimate` bytes. If it is large, it takes bytes of the budget before it is made, so
/// that responses that wait for the budget hold no bytes.
pub(crate) async fn made_body(
    context: &RequestContext<'_>,
    priority: Priority,
    estimate: usize,
    make: impl FnOnce() -> Result<String, ApiError>,
) -> Result<BoxBody, ApiError> {
    if estimate <= CHUNK {
        return bytes_body(context, priority, make()?.into()).await;
    }
    let reserved = ResponseReservation::new(context, priority, estimate).await?;
    reserved.fill(make()?.into()).await
}

/// Runs work on a thread for blocking work. Logs `failure` if it does not end.
pub(crate) async fn run_blocking<T: Send + 'static>(
    failure: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    web::block(work).await.map_err(|error| {
        tracing::error!(%error, "{failure}");
        ApiError::Overloaded
    })
}

/// A body that is sent in chunks and takes bytes of the budget.
struct LargeBody {
    length: usize,
    sent: usize,
    /// Has the bytes still to be sent. They are gone once the transfer was revoked.
    connection: Rc<ConnectionState>,
    transfer: Transfer,
    clock: Clock,
    lender: Option<Lender>,
    /// The chunk that the store is about to lend.
    lending: Option<Lending>,
}

/// Completes with the bytes, or with `None` if the paste is gone or was changed.
type Lending = Pin<Box<dyn Future<Output = Option<Bytes>>>>;

/// Lends the bytes of a paste to a response that has no bytes of the budget, as long as the paste is stored. The response
/// keeps none of them while its client does not read.
struct Lender {
    store: Arc<Store>,
    loads: Arc<TurnQueue>,
    client: ClientKey,
    clock: Clock,
    paste: (PasteId, Revision),
    /// The position of the response in the content.
    start: usize,
}

impl Lender {
    /// Lends these bytes of the response. If the paste has left memory, it is loaded by a turn of the client.
    fn lend(&self, part: Range<usize>) -> Lending {
        let (id, revision) = self.paste;
        let part = self.start + part.start..self.start + part.end;
        let (store, clock) = (Arc::clone(&self.store), self.clock.clone());
        let enter = || self.loads.enter(clock.elapsed(), self.client, LOAD_USE);
        let turn = store.must_load(id).then(enter);
        Box::pin(async move {
            let _turn = match turn {
                Some(turn) => Some(turn.await.ok()?),
                None => None,
            };
            let stored = store.peek(clock.timestamp(), id).await.ok()?;
            let paste = stored.open().ok().filter(|it| it.revision() == revision)?;
            Some(Bytes::from_owner(Arc::clone(paste.bytes())).slice(part))
        })
    }
}

/// The response was cancelled so that others get its bytes of the budget.
#[derive(Debug, Error)]
#[error("a slow download was cancelled to free memory for others")]
struct Aborted;

/// Bytes of the budget, reserved for a large response before it is made. One of at most [`CHUNK`] bytes needs none.
pub(crate) struct ResponseReservation<'a> {
    context: &'a RequestContext<'a>,
    priority: Priority,
    /// The number of bytes that the transfer holds.
    counted: usize,
    transfer: Transfer,
    lender: Option<Lender>,
    /// The end of the current wait, by the server's clock.
    deadline: Duration,
}

impl<'a> ResponseReservation<'a> {
    /// Reserves `estimate` bytes. Waits if the budget is short.
    pub(crate) async fn new(
        context: &'a RequestContext<'a>,
        priority: Priority,
        estimate: usize,
    ) -> Result<Self, ApiError> {
        let state = context.state;
        let (now, client) = (state.clock.elapsed(), context.charges.client());
        let handle = &context.charges.connection.handle;
        let mut reserved = Self {
            context,
            priority,
            counted: 0,
            transfer: state
                .overload
                .start_transfer(handle, now, client, priority)?,
            lender: None,
            deadline: resource_wait::deadline(state),
        };
        reserved.grow_to(estimate).await?;
        Ok(reserved)
    }

    /// Waits for a turn to render these bytes. The wait ends at the same deadline as the wait for the bytes.
    pub(crate) async fn acquire_render(&self) -> Result<RenderPermit, ApiError> {
        // About 50 ns for each byte.
        let expected = Duration::from_micros(self.counted as u64 / 20);
        self.acquire_turn(expected).await
    }

    /// Waits for a turn to derive a key, as for one to render.
    pub(crate) async fn acquire_key(&self) -> Result<RenderPermit, ApiError> {
        self.acquire_turn(KEY_TIME).await
    }

    async fn acquire_turn(&self, expected: Duration) -> Result<RenderPermit, ApiError> {
        let client = self.context.charges.client();
        self.wait().render_permit(client, expected).await
    }

    /// To be called right before a read that cannot be repeated. What is reserved stays so until it is sent.
    pub(crate) fn set_last_read(&self) -> Result<(), ApiError> {
        Ok(self.transfer.set_last_read()?)
    }

    /// Makes the response on a thread for blocking work, and returns `make`'s value with the body.
    pub(crate) async fn make<T: Send + 'static>(
        self,
        permit: impl Into<Option<RenderPermit>>,
        make: impl FnOnce() -> (T, Bytes) + Send + 'static,
    ) -> Result<(T, BoxBody), ApiError> {
        // The work owns the permit, not the request: the client may hang up before the work is done.
        let permit = permit.into();
        let work = move || {
            let _permit = permit;
            make()
        };
        let (value, bytes) = run_blocking("could not render a page", work).await?;
        Ok((value, self.fill(bytes).await?))
    }

    /// Makes a body of the bytes. Waits for more of the budget if they exceed the estimate.
    pub(crate) async fn fill(mut self, bytes: Bytes) -> Result<BoxBody, ApiError> {
        let length = bytes.len();
        self.deadline = resource_wait::deadline(self.context.state);
        let is_lent = self.may_borrow(length);
        if !is_lent {
            self.grow_to(length).await?;
        }
        let connection = Rc::clone(&self.context.charges.connection);
        if !is_lent {
            // The response was revoked before it was made.
            if self.transfer.is_revoked() && self.lender.is_none() {
                return Err(ApiError::Overloaded);
            }
            connection.unsent.replace(Some(bytes));
        }
        Ok(BoxBody::new(LargeBody {
            length,
            sent: 0,
            connection,
            transfer: self.transfer,
            clock: self.context.state.clock.clone(),
            lender: self.lender,
            lending: None,
        }))
    }

    /// Makes a body of the bytes even if the budget has too few left. The last read of a paste cannot be repeated.
    pub(crate) async fn fill_regardless(self, bytes: Bytes) -> BoxBody {
        let filled = self.fill(bytes.clone()).await;
        filled.unwrap_or_else(|_| BoxBody::new(bytes))
    }

    fn wait(&self) -> ResourceWait<'_> {
        ResourceWait {
            state: self.context.state,
            transfer: &self.transfer,
            deadline: self.deadline,
        }
    }

    /// Returns whether the store lends the response, because the bytes of the budget are not free.
    fn may_borrow(&mut self, length: usize) -> bool {
        let Some(lender) = &self.lender else {
            return false;
        };
        let now = self.context.state.clock.elapsed();
        if self.transfer.try_hold(now, length) {
            self.counted = length;
            return false;
        }
        !lender.store.must_load(lender.paste.0)
    }

    async fn grow_to(&mut self, size: usize) -> Result<(), ApiError> {
        if size > self.counted.max(CHUNK) {
            self.wait().bytes(self.priority, size).await?;
            self.counted = size;
        }
        Ok(())
    }
}

/// Dropped before the transfer, which counts the bytes.
impl Drop for LargeBody {
    fn drop(&mut self) {
        self.connection.unsent.take();
    }
}

impl MessageBody for LargeBody {
    type Error = Aborted;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.length as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = &mut *self;
        let part = this.sent..this.length.min(this.sent + CHUNK);
        if part.is_empty() {
            return Poll::Ready(None);
        }
        let split = |unsent: &mut Bytes| unsent.split_to(part.len());
        let held = this.connection.unsent.borrow_mut().as_mut().map(split);
        let chunk = match (held, &this.lender) {
            (None, Some(lender)) => {
                let lending = this.lending.get_or_insert_with(|| lender.lend(part));
                let lent = ready!(lending.as_mut().poll(context));
                this.lending = None;
                lent
            }
            (held, _) => held,
        };
        let Some(chunk) = chunk else {
            return Poll::Ready(Some(Err(Aborted)));
        };
        this.sent += chunk.len();
        let now = this.clock.elapsed();
        this.transfer.record_progress(now, chunk.len());
        Poll::Ready(Some(Ok(chunk)))
    }
}

/// A body that owns a guard until it is sent.
pub(crate) struct BodyWithGuard<T> {
    body: BoxBody,
    _guard: T,
}

/// The body of every response. Its request counts as in flight until all of the body is in the connection's buffer.
pub(crate) type AnswerBody = BodyWithGuard<InFlightGuard>;

impl<T> BodyWithGuard<T> {
    pub(crate) fn new(body: BoxBody, guard: T) -> Self {
        Self {
            body,
            _guard: guard,
        }
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

/// Makes the response hold the request's body until it is sent.
///
/// The framework reads a dropped request body to its end, however long it is, before the connection is reused or
/// closed. If the request body still exists when the response is complete, the framework closes the connection instead.
/// For a few seconds before that, the server discards bytes that the client sends. So the client reads the response and
/// does not get a connection reset.
pub(crate) fn hold_request(response: HttpResponse, request: dev::Payload) -> HttpResponse {
    response.map_body(|_, body| BoxBody::new(BodyWithGuard::new(body, request)))
}
