//! Settling: the task that tells the other nodes what this one charged, and learns what they charged.
//!
//! Invariants: the task runs only if several nodes share the limits. It settles all charges every [`INTERVAL`], and at
//! once those that are due. While the engine fails, each node limits clients on its own. The log has one line when
//! that starts and one when it ends.
//! Cost: without shared limits, none.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use actix_web::rt;
use actix_web::rt::task::JoinHandle;

use crate::clock::Clock;
use crate::http::connection::wait_until;
use crate::http::state::AppState;
use crate::limit::{Exchange, LimitEngine, LimitEntry, Limiter, RulesByAction, TableSizes};
use crate::store::Store;

/// The time between two times at which all charges are settled.
const INTERVAL: Duration = Duration::from_millis(250);

/// Creates the limiter of a server. It shares its limits with other nodes if the store does.
pub(crate) fn limiter(rules: RulesByAction, clock: &Clock, store: &Store) -> Limiter {
    let sizes = TableSizes::default();
    match store {
        Store::Memory(..) | Store::Sqlite(_) => Limiter::new(rules, sizes),
        Store::Valkey(store) => {
            let epoch = Duration::from_millis(clock.start().as_millis());
            let engine = Arc::clone(store);
            let engine = Arc::new(LoggedEngine::new(engine));
            Limiter::shared(rules, sizes, epoch, engine)
        }
    }
}

/// The task that settles. Dropping this ends it.
#[derive(Debug)]
pub(crate) struct Settling(JoinHandle<()>);

impl Settling {
    /// Starts the task if several nodes share the limits.
    pub(crate) fn start(state: &Arc<AppState>) -> Option<Self> {
        let state = Arc::clone(state);
        let is_shared = state.limiter.is_shared();
        is_shared.then(|| {
            Self(rt::spawn(
                async move { run(&state.limiter, &state.clock).await },
            ))
        })
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Settles charges until this is dropped.
async fn run(limiter: &Limiter, clock: &Clock) {
    let mut next = clock.elapsed() + INTERVAL;
    let mut has_warned = false;
    loop {
        let is_tick = tick_or_due(limiter, clock, next).await;
        if is_tick {
            next = clock.elapsed() + INTERVAL;
        }
        limiter.settle(clock.elapsed(), is_tick).await;
        if limiter.unreadable_entries() > 0 && !std::mem::replace(&mut has_warned, true) {
            tracing::warn!(
                "limits of another release of tidebin were found and ignored: use one release on all nodes"
            );
        }
    }
}

/// Waits for the tick, or until charges are due. Returns whether it was the tick.
async fn tick_or_due(limiter: &Limiter, clock: &Clock, tick: Duration) -> bool {
    let (mut tick, mut due) = (pin!(wait_until(clock, tick)), pin!(limiter.due()));
    poll_fn(|context| match tick.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending => due.as_mut().poll(context).map(|()| false),
    })
    .await
}

/// Logs when the engine starts to fail and when it answers again.
#[derive(Debug)]
struct LoggedEngine {
    engine: Arc<dyn LimitEngine>,
    is_failing: AtomicBool,
}

impl LoggedEngine {
    fn new(engine: Arc<dyn LimitEngine>) -> Self {
        Self {
            engine,
            is_failing: AtomicBool::new(false),
        }
    }
}

impl LimitEngine for LoggedEngine {
    fn exchange(&self, network: u64, entries: Vec<LimitEntry>, ttl: Duration) -> Exchange<'_> {
        Box::pin(async move {
            let answer = self.engine.exchange(network, entries, ttl).await;
            let fails = answer.is_err();
            if self.is_failing.swap(fails, Ordering::Relaxed) != fails {
                match fails {
                    true => tracing::warn!("limits are not shared: the engine does not answer"),
                    false => tracing::info!("limits are shared again"),
                }
            }
            answer
        })
    }
}

#[cfg(test)]
mod tests;
