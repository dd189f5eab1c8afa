//! Waiting, when the process is busy: for a place, for room, for a render; a short while, and then a refusal that says
//! when to come back.
//!
//! What it must not know: what the place is for.
//! Invariants: all that a transfer needs at a time it waits for no longer than [`LONGEST`] together (what it turns out
//! to need later, as a body that grows, is another wait); whoever is cut meanwhile hears of it at once and gets
//! nothing; whoever waits holds no lock and no core; who holds the most of what is short makes room, and does not queue
//! in front of others; who is over their own share waits for their own transfers alone, and is told so.
//! Cost: a lock for a moment when there is no need to wait, and one more for each step of waiting.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::fairness::ClientKey;
use crate::http::connection::wait_until;
use crate::http::error::ApiError;
use crate::http::state::AppState;
use crate::overload::{BytePermit, Permit, Priority, QuotaError, RenderShare, Transfer};

/// Who is not served after this long had better try again: answering everybody late helps nobody.
const LONGEST: Duration = Duration::from_millis(500);

/// After each of these who waits looks again, and whoever has to go for it by then is ended.
const STEP: Duration = Duration::from_millis(100);

/// When a wait that begins now is over.
pub(crate) fn until(state: &AppState) -> Duration {
    state.clock.elapsed().saturating_add(LONGEST)
}

/// The wait of one transfer for all that it needs by now.
#[derive(Clone, Copy)]
pub(crate) struct ResourceWait<'a> {
    state: &'a AppState,
    transfer: &'a Transfer,
    /// By the server's clock.
    until: Duration,
}

impl<'a> ResourceWait<'a> {
    /// A wait that begins now.
    pub(crate) fn new(state: &'a AppState, transfer: &'a Transfer) -> Self {
        Self::until(state, transfer, until(state))
    }

    /// A wait that is over by this time.
    pub(crate) fn until(state: &'a AppState, transfer: &'a Transfer, until: Duration) -> Self {
        Self {
            state,
            transfer,
            until,
        }
    }

    /// A place for a body to be received.
    pub(crate) async fn place(self) -> Result<Permit, ApiError> {
        let slots = self.state.overload.upload_slots();
        let wanted = Acquisition {
            class: Priority::Save,
            press: || self.transfer.preempt_for_slot(self.now()),
            now: || Arc::clone(slots).try_acquire_owned().ok(),
            later: async { Arc::clone(slots).acquire_owned().await.ok() },
        };
        let permit = self.get(wanted).await?;
        self.transfer.occupy_slot()?;
        Ok(permit)
    }

    /// Leave to render a page for this client: first its share, then its turn.
    pub(crate) async fn render(self, client: ClientKey) -> Result<RenderPermit, ApiError> {
        let share = self.render_share(client).await?;
        let permits = self.state.overload.render_permits();
        let wanted = Acquisition {
            class: Priority::Render,
            press: || true,
            now: || Arc::clone(permits).try_acquire_owned().ok(),
            later: async { Arc::clone(permits).acquire_owned().await.ok() },
        };
        let permit = self.get(wanted).await?;
        Ok(RenderPermit {
            _permit: permit,
            _share: share,
        })
    }

    /// Waits until what is rendered for the client is within its share: for nobody but its own.
    async fn render_share(self, client: ClientKey) -> Result<RenderShare, ApiError> {
        let overload = &self.state.overload;
        loop {
            // Begun before the look, or what is given back in between would be missed.
            let is_back = overload.render_share_released();
            if let Some(share) = overload.try_render_share(client) {
                return Ok(share);
            }
            if self.now() >= self.until {
                overload.count_over_share();
                return Err(ApiError::Crowded);
            }
            self.step(is_back).await?;
        }
    }

    /// Room for so many bytes.
    pub(crate) async fn room(self, class: Priority, bytes: usize) -> Result<BytePermit, ApiError> {
        let room = self.state.overload.byte_budget();
        self.share(room.rounded(class, bytes)).await?;
        let wanted = Acquisition {
            class,
            press: || self.transfer.preempt_for_bytes(self.now()),
            now: || room.try_acquire(class, bytes),
            later: async { Some(room.acquire(class, bytes).await) },
        };
        let taken = self.get(wanted).await?;
        self.transfer.confirm_bytes()?;
        Ok(taken)
    }

    /// Waits until these bytes are within the share of the transfer's client and network: in front of nobody, and for
    /// nobody but their own to end.
    async fn share(self, bytes: usize) -> Result<(), ApiError> {
        loop {
            match self.transfer.request_bytes(self.now(), bytes) {
                Err(QuotaError::OverShare) if self.now() < self.until => {
                    self.step(pending::<()>()).await?
                }
                Err(QuotaError::OverShare) => {
                    self.state.overload.count_over_share();
                    return Err(ApiError::Crowded);
                }
                wanted => return Ok(wanted?),
            };
        }
    }

    /// What there is now, or comes in time. Whoever holds the most does not queue, and gets what the others leave.
    async fn get<T>(
        self,
        wanted: Acquisition<
            impl Fn() -> bool,
            impl Fn() -> Option<T>,
            impl Future<Output = Option<T>>,
        >,
    ) -> Result<T, ApiError> {
        if let Some(given) = (wanted.now)() {
            return Ok(given);
        }
        let mut later = pin!(wanted.later);
        let mut queues = false;
        while self.now() < self.until {
            queues |= (wanted.press)();
            if queues {
                if let Some(given) = self.step(later.as_mut()).await? {
                    return given.ok_or(ApiError::Overloaded);
                }
            } else {
                if let Some(given) = (wanted.now)() {
                    return Ok(given);
                }
                self.step(pending::<()>()).await?;
            }
        }
        self.state.overload.count_shed(wanted.class);
        if self.state.shedding.record(self.now()) {
            tracing::warn!(class = ?wanted.class, "overload begins: requests are turned away");
        }
        Err(ApiError::Overloaded)
    }

    /// What the future gives, if it does before the next step; an error as soon as the transfer is cut.
    async fn step<T>(self, future: impl Future<Output = T>) -> Result<Option<T>, ApiError> {
        let next = self.now().saturating_add(STEP).min(self.until);
        let mut next = pin!(wait_until(&self.state.clock, next));
        let mut cut = pin!(self.transfer.cancelled());
        let mut future = pin!(future);
        poll_fn(|context| {
            // First, or what comes at the same moment would be taken in vain.
            if cut.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(ApiError::Overloaded));
            }
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(Some(value)));
            }
            next.as_mut().poll(context).map(|()| Ok(None))
        })
        .await
    }

    fn now(self) -> Duration {
        self.state.clock.elapsed()
    }
}

/// Leave to render a page, given back when dropped.
#[derive(Debug)]
pub(crate) struct RenderPermit {
    _permit: Permit,
    _share: RenderShare,
}

/// Something that there is too little of at times.
struct Acquisition<Press, Now, Later> {
    class: Priority,
    /// Ends who has to go for it; whether whoever wants it may queue.
    press: Press,
    /// What there is now.
    now: Now,
    /// What there will be, for whoever queues.
    later: Later,
}
