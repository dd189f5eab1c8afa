//! Waiting for times of the server's clock.
//!
//! Invariants: a wait ends at its time or at most a millisecond later, never before. With a manual clock it ends only
//! when the clock is moved, so a test decides when something times out. A [`Timer`] is never set for a time after the
//! one that is waited for.
//! Cost: one timer per connection. While heads arrive whole, it is set at most once in each
//! [`KEEP_ALIVE`](crate::http::connection::state::KEEP_ALIVE). A request only polls it.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::LocalBoxFuture;

use crate::clock::Clock;

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

/// A timer that stays set when nothing waits for it any more.
#[derive(Default)]
pub(crate) struct Timer(Option<(Duration, LocalBoxFuture<'static, ()>)>);

impl Timer {
    /// Completes at this time of the clock.
    pub(crate) fn poll_until(
        &mut self,
        time: Duration,
        clock: &Clock,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        loop {
            self.0.take_if(|(until, _)| *until > time);
            let (_, wait) = self.0.get_or_insert_with(|| {
                let clock = clock.clone();
                let wait = async move { wait_until(&clock, time).await };
                (time, Box::pin(wait))
            });
            if wait.as_mut().poll(context).is_pending() {
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
