//! Waiting by the server's clock: for a while, or for something else at most that long.
//!
//! What it must not know: what is waited for.
//! Invariants: under a clock that stands still nothing times out, so a test decides when it does; a wait is over at its
//! time or at most a millisecond later, never before.
//! Cost: nothing until it has to wait.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::clock::Clock;

/// Done when this much time has passed.
pub(crate) struct Wait<'a> {
    clock: &'a Clock,
    /// As the clock counts.
    until: Duration,
    /// The runtime's own timer, made when it is first needed; never for a clock that is moved by hand.
    timer: Option<Pin<Box<tokio::time::Sleep>>>,
}

/// A wait of this length, counted from now.
pub(crate) fn wait(clock: &Clock, length: Duration) -> Wait<'_> {
    wait_until(clock, clock.elapsed().saturating_add(length))
}

/// A wait until the clock says so.
pub(crate) fn wait_until(clock: &Clock, until: Duration) -> Wait<'_> {
    Wait {
        clock,
        until,
        timer: None,
    }
}

impl Future for Wait<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let (clock, until) = (self.clock, self.until);
        match clock {
            Clock::System(start) => {
                let timer = || Box::pin(tokio::time::sleep_until((*start + until).into()));
                self.timer.get_or_insert_with(timer).as_mut().poll(context)
            }
            Clock::Manual(manual) => {
                manual.wake_when_moved(context.waker());
                if clock.elapsed() >= until {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            }
        }
    }
}

/// What the future gives, if it does within this time.
pub(crate) async fn within<T>(
    clock: &Clock,
    length: Duration,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut future = pin!(future);
    let mut wait = pin!(wait(clock, length));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => wait.as_mut().poll(context).map(|()| None),
    })
    .await
}
