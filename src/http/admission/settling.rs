//! Settling: the task that tells the other nodes what this one charged, and learns what they charged.
//!
//! Invariants: the task runs only if several nodes share the limits. It settles all charges every [`INTERVAL`], and at
//! once those that are due. While the engine fails, each node limits clients on its own, as the store logs.
//! Cost: without shared limits, none.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use actix_web::rt;
use actix_web::rt::task::JoinHandle;
use futures_util::future::{Either, select};

use crate::clock::Clock;
use crate::http::connection::wait_until;
use crate::http::state::AppState;
use crate::limit::{Limiter, RulesByAction, TableSizes};
use crate::store::Store;

/// The time between two times at which all charges are settled.
const INTERVAL: Duration = Duration::from_millis(250);

/// Creates the limiter of a server. It shares its limits with other nodes if the store does.
pub(crate) fn limiter(rules: RulesByAction, clock: &Clock, store: &Store) -> Limiter {
    let sizes = TableSizes::default();
    match store.limit_engine() {
        Some(engine) => Limiter::shared(rules, sizes, epoch(clock), engine),
        None => Limiter::new(rules, sizes),
    }
}

/// Returns the time from 1970 to the start of the clock, which follows that of the engine.
fn epoch(clock: &Clock) -> Duration {
    Duration::from_millis(clock.start().as_millis())
}

/// A task that ends when this is dropped.
pub(crate) struct BackgroundTask(JoinHandle<()>);

impl BackgroundTask {
    pub(crate) fn spawn(task: impl Future<Output = ()> + 'static) -> Self {
        Self(rt::spawn(task))
    }
}

impl Drop for BackgroundTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts the task that exchanges charges with the engine. Returns `None` if the limits are not shared.
pub(crate) fn start_settling(state: &Arc<AppState>) -> Option<BackgroundTask> {
    let state = Arc::clone(state);
    let is_shared = state.limiter.is_shared();
    is_shared.then(|| BackgroundTask::spawn(async move { run(&state.limiter, &state.clock).await }))
}

/// Settles charges until this is dropped.
async fn run(limiter: &Limiter, clock: &Clock) {
    let mut next = clock.elapsed() + INTERVAL;
    let mut has_warned = false;
    loop {
        let is_tick = tick_or_due(limiter, clock, next).await;
        if is_tick {
            next = clock.elapsed() + INTERVAL;
            limiter.set_epoch(epoch(clock));
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
    let (tick, due) = (pin!(wait_until(clock, tick)), pin!(limiter.due()));
    matches!(select(tick, due).await, Either::Left(_))
}

#[cfg(test)]
mod tests;
