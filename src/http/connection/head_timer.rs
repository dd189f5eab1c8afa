//! The timer of a connection: for the head that it waits for, for the time without one, and after a refusal.
//!
//! Invariant: the timer is never set for a time after the one that is waited for.
//! Cost: one timer per connection. While heads arrive whole, it is set at most once in each
//! [`KEEP_ALIVE`](crate::http::connection::state::KEEP_ALIVE). A request only polls it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::clock::Clock;
use crate::http::connection::timer::wait_until;

/// A timer that stays set when nothing waits for it any more.
#[derive(Default)]
pub(super) struct HeadTimer(Option<SetTimer>);

struct SetTimer {
    until: Duration,
    wait: Pin<Box<dyn Future<Output = ()>>>,
}

impl HeadTimer {
    /// Completes at this time of the clock.
    pub(super) fn poll_until(
        &mut self,
        time: Duration,
        clock: &Clock,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        loop {
            self.0.take_if(|timer| timer.until > time);
            let timer = self.0.get_or_insert_with(|| {
                let clock = clock.clone();
                SetTimer {
                    until: time,
                    wait: Box::pin(async move { wait_until(&clock, time).await }),
                }
            });
            if timer.wait.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            // The timer may have been set for something earlier.
            self.0 = None;
            if clock.elapsed() >= time {
                return Poll::Ready(());
            }
        }
    }
}
