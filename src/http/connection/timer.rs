//! Waiting by the server's clock, for a while or until a time.
//!
//! What it must not know: what is waited for.
//! Invariants: under a clock that stands still nothing times out, so a test decides when it does; a wait is over at its
//! time or at most a millisecond later, never before.
//! Cost: nothing until it has to wait; the runtime's own timer lies in the future that waits.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use crate::clock::Clock;

/// Done when this much time has passed, counted from the call.
pub(crate) fn wait(clock: &Clock, length: Duration) -> impl Future<Output = ()> {
    wait_until(clock, clock.elapsed().saturating_add(length))
}

/// Done when the clock says so.
pub(crate) async fn wait_until(clock: &Clock, until: Duration) {
    match clock {
        Clock::System(start) => tokio::time::sleep_until((*start + until).into()).await,
        Clock::Manual(manual) => {
            poll_fn(|context| {
                manual.wake_when_moved(context.waker());
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
