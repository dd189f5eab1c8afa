//! Waiting for times of the server's clock.
//!
//! Invariants: a wait ends at its time or at most a millisecond later, never before. With a manual clock it ends only
//! when the clock is moved, so a test decides when something times out.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use crate::clock::Clock;

/// Waits for this long. The wait starts with the call, not with the first poll.
pub(crate) fn wait(clock: &Clock, length: Duration) -> impl Future<Output = ()> {
    wait_until(clock, clock.elapsed().saturating_add(length))
}

/// Waits until this time of the clock.
pub(crate) async fn wait_until(clock: &Clock, until: Duration) {
    match clock {
        Clock::System { start, .. } => tokio::time::sleep_until((*start + until).into()).await,
        Clock::Manual(manual) => {
            poll_fn(|context| {
                manual.wake_on_advance(context.waker());
                if clock.elapsed() >= until {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        }
    }
}
