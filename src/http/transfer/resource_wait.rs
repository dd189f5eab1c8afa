//! Waiting when the process is busy: for bytes of the budget, or a turn to render.
//!
//! A wait is short. If it fails, the error tells the client when to try again.
//! Invariants: one wait covers everything that a transfer needs at that time, and takes [`MAX_WAIT`] at most. A body
//! that grows later starts another wait. A revoked transfer stops waiting at once and gets nothing. A waiting transfer
//! holds no lock and no core. A client above its share of bytes waits only for its own transfers. If that wait fails,
//! it gets a 429 ([`ApiError::OverShare`]). Any other failed wait is a 503 ([`ApiError::Overloaded`]).
//! Cost: one short lock if the bytes are free, and one more for each [`CHECK_INTERVAL`] of waiting.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::clock::Clock;
use crate::fairness::ClientKey;
use crate::http::connection::wait_until;
use crate::http::error::ApiError;
use crate::http::state::{AppState, MAX_WAIT};
use crate::overload::{Priority, QuotaError, Transfer, Turn};

/// A wait asks again, so that others make room that are slow by then, once in this time.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Returns the time at which a wait that starts now ends, by the server's clock.
pub(crate) fn deadline(state: &AppState) -> Duration {
    state.clock.elapsed().saturating_add(MAX_WAIT)
}

/// The wait of one transfer.
#[derive(Clone, Copy)]
pub(crate) struct ResourceWait<'a> {
    pub(crate) state: &'a AppState,
    pub(crate) transfer: &'a Transfer,
    /// The end of the wait, by the server's clock.
    pub(crate) deadline: Duration,
}

impl ResourceWait<'_> {
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

    /// Waits until the transfer holds `total` bytes of the budget.
    pub(crate) async fn bytes(self, priority: Priority, total: usize) -> Result<(), ApiError> {
        match self.transfer.hold(self.now(), total) {
            Ok(true) => Ok(()),
            // Boxed: this future is large, and most requests do not need it.
            Ok(false) | Err(_) => Box::pin(self.wait_for_bytes(priority, total)).await,
        }
    }

    async fn wait_for_bytes(self, priority: Priority, total: usize) -> Result<(), ApiError> {
        loop {
            let is_late = self.now() >= self.deadline;
            match self.transfer.hold(self.now(), total) {
                Ok(true) => return Ok(()),
                Ok(false) if is_late => {
                    self.transfer.give_up();
                    return Err(self.state.shed(priority));
                }
                Err(QuotaError::OverShare) if is_late => {
                    self.state.overload.count_over_share();
                    return Err(ApiError::OverShare);
                }
                Ok(false) | Err(QuotaError::OverShare) => {}
                Err(QuotaError::Cancelled) => return Err(ApiError::Overloaded),
            }
            let end = self.now().saturating_add(CHECK_INTERVAL).min(self.deadline);
            let mut was_polled = false;
            let woken = poll_fn(|_| match std::mem::replace(&mut was_polled, true) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            });
            wait(self.state, self.transfer, end, woken).await?;
        }
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
/// [`ApiError::Overloaded`] as soon as the transfer is revoked. Its connection's task is woken then.
pub(crate) async fn wait<T>(
    state: &AppState,
    transfer: &Transfer,
    end: Duration,
    future: impl Future<Output = T>,
) -> Result<Option<T>, ApiError> {
    let mut timer = pin!(wait_until(&state.clock, end));
    let mut future = pin!(future);
    poll_fn(|context| {
        // Asked first: a revoked transfer must not go on, and a body may always have more data.
        if transfer.is_revoked() {
            return Poll::Ready(Err(ApiError::Overloaded));
        }
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(Some(value)));
        }
        timer.as_mut().poll(context).map(|()| Ok(None))
    })
    .await
}
