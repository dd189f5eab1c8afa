//! Waiting for resources when the process is busy: an upload slot, bytes of the budget, or a turn to render.
//!
//! A wait is short. If it fails, the error tells the client when to try again.
//! Invariants: one wait covers everything that a transfer needs at that time, and takes [`MAX_WAIT`] at most. A body
//! that grows later starts another wait. A cancelled transfer stops waiting at once and gets no resource. A waiting
//! transfer holds no lock and no core. A client that uses the most of a scarce resource does not queue in front of
//! others. A client above its share of bytes waits only for its own transfers. If that wait fails, it gets a 429
//! ([`ApiError::OverShare`]). Any other failed wait is a 503 ([`ApiError::Overloaded`]).
//! Cost: one short lock if the resource is free, and one more for each [`CHECK_INTERVAL`] of waiting.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::clock::Clock;
use crate::fairness::ClientKey;
use crate::http::connection::wait_until;
use crate::http::error::ApiError;
use crate::http::state::{AppState, MAX_WAIT};
use crate::overload::{BytePermit, Permit, Priority, QuotaError, Transfer, Turn};

/// A wait checks the resource again, and preempts other transfers, once in this time.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Returns the time at which a wait that starts now ends, by the server's clock.
pub(crate) fn deadline(state: &AppState) -> Duration {
    state.clock.elapsed().saturating_add(MAX_WAIT)
}

/// The wait of one transfer for its resources.
#[derive(Clone, Copy)]
pub(crate) struct ResourceWait<'a> {
    pub(crate) state: &'a AppState,
    pub(crate) transfer: &'a Transfer,
    /// The end of the wait, by the server's clock.
    pub(crate) deadline: Duration,
}

impl ResourceWait<'_> {
    /// Waits for an upload slot.
    pub(crate) async fn upload_slot(self) -> Result<Permit, ApiError> {
        let slots = &self.state.overload.upload_slots;
        let try_acquire = || Arc::clone(slots).try_acquire_owned().ok();
        let queue = async { Arc::clone(slots).acquire_owned().await.ok() };
        let permit = self.acquire(Priority::Save, try_acquire, queue).await?;
        self.transfer.occupy_slot()?;
        Ok(permit)
    }

    /// Waits for a turn at work that is expected to keep a core busy for this long.
    pub(crate) async fn render_permit(
        self,
        client: ClientKey,
        expected: Duration,
    ) -> Result<RenderPermit, ApiError> {
        let turn = self
            .state
            .overload
            .renders
            .enter(self.now(), client, expected);
        match wait(self.state, self.transfer, self.deadline, turn).await? {
            Some(Ok(turn)) => Ok(RenderPermit {
                turn,
                start: self.now(),
                clock: self.state.clock.clone(),
            }),
            Some(Err(_)) | None => Err(self.state.shed(Priority::Render)),
        }
    }

    /// Waits for this many bytes of the budget.
    pub(crate) async fn bytes(
        self,
        priority: Priority,
        bytes: usize,
    ) -> Result<BytePermit, ApiError> {
        let budget = &self.state.overload.byte_budget;
        self.byte_share(budget.rounded(priority, bytes)).await?;
        let try_acquire = || budget.try_acquire(priority, bytes);
        let queue = async { Some(budget.acquire(priority, bytes).await) };
        let permit = self.acquire(priority, try_acquire, queue).await?;
        self.transfer.confirm_bytes()?;
        Ok(permit)
    }

    /// Waits until `bytes` more bytes are within the share of the client and of its network. This wait takes no place
    /// in the queue. Only transfers of the same client or network can delay it.
    async fn byte_share(self, bytes: usize) -> Result<(), ApiError> {
        loop {
            match self.transfer.request_bytes(self.now(), bytes) {
                Err(QuotaError::OverShare) if self.now() < self.deadline => {
                    Box::pin(self.wait_interval(pending::<()>())).await?
                }
                Err(QuotaError::OverShare) => {
                    self.state.overload.count_over_share();
                    return Err(ApiError::OverShare);
                }
                requested => return Ok(requested?),
            };
        }
    }

    /// Acquires the resource before the deadline: by `try_acquire` if it is free, or in its `queue`. While the transfer
    /// may not queue, it gets the resource only if no queued transfer takes it.
    async fn acquire<T>(
        self,
        priority: Priority,
        try_acquire: impl Fn() -> Option<T>,
        queue: impl Future<Output = Option<T>>,
    ) -> Result<T, ApiError> {
        if let Some(acquired) = try_acquire() {
            return Ok(acquired);
        }
        // Boxed: this future is large, and most requests do not need it.
        let waiting = async move {
            let mut queue = pin!(queue);
            let mut is_queued = false;
            while self.now() < self.deadline {
                is_queued |= self.transfer.preempt(self.now());
                if is_queued {
                    if let Some(acquired) = self.wait_interval(queue.as_mut()).await? {
                        return acquired.ok_or(ApiError::Overloaded);
                    }
                } else {
                    if let Some(acquired) = try_acquire() {
                        return Ok(acquired);
                    }
                    self.wait_interval(pending::<()>()).await?;
                }
            }
            Err(self.state.shed(priority))
        };
        Box::pin(waiting).await
    }

    /// Waits for the future, at most for one [`CHECK_INTERVAL`].
    async fn wait_interval<T>(
        self,
        future: impl Future<Output = T>,
    ) -> Result<Option<T>, ApiError> {
        let end = self.now().saturating_add(CHECK_INTERVAL).min(self.deadline);
        wait(self.state, self.transfer, end, future).await
    }

    fn now(self) -> Duration {
        self.state.clock.elapsed()
    }
}

/// The permission to render one page. It counts as used by the client for as long as it is held.
pub(crate) struct RenderPermit {
    turn: Turn,
    start: Duration,
    clock: Clock,
}

impl Drop for RenderPermit {
    fn drop(&mut self) {
        let used = self.clock.elapsed().saturating_sub(self.start);
        self.turn.set_use(used);
    }
}

/// Waits for the future until this time of the server's clock. Returns `None` if the future is not complete by then.
///
/// # Errors
/// [`ApiError::Overloaded`] as soon as the transfer is cancelled.
pub(crate) async fn wait<T>(
    state: &AppState,
    transfer: &Transfer,
    end: Duration,
    future: impl Future<Output = T>,
) -> Result<Option<T>, ApiError> {
    let mut timer = pin!(wait_until(&state.clock, end));
    let mut cancelled = pin!(transfer.cancelled());
    let mut future = pin!(future);
    poll_fn(|context| {
        // Polled first: a cancelled transfer must not take the resource, and a body may always have more data.
        if cancelled.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(ApiError::Overloaded));
        }
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(Some(value)));
        }
        timer.as_mut().poll(context).map(|()| Ok(None))
    })
    .await
}
