//! The timer of a connection, which limits the time that the head of a request may take, and the time without one.
//!
//! Invariant: the timer is never set for a time after the deadline.
//! Cost: one timer per connection. While heads arrive whole, it is set at most once in each
//! [`KEEP_ALIVE`](crate::http::connection::state::KEEP_ALIVE). A request only polls it.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use crate::clock::Clock;
use crate::http::connection::state::{ConnectionState, PendingHead};
use crate::http::connection::timer::wait_until;

/// A timer that is set while the connection waits for a head, and stays set when the head arrives.
#[derive(Default)]
pub(crate) struct HeadTimer(Option<SetTimer>);

struct SetTimer {
    until: Duration,
    wait: Pin<Box<dyn Future<Output = ()>>>,
}

impl HeadTimer {
    /// Returns the head that the connection waits for if it is overdue. Otherwise returns `None`, and the task is woken
    /// at the head's deadline.
    pub(crate) fn poll_overdue(
        &mut self,
        connection: &ConnectionState,
        clock: &Clock,
        context: &mut Context<'_>,
    ) -> Option<PendingHead> {
        while let Some(head) = connection.pending_head() {
            let deadline = head.deadline;
            // The timer may have been set for the end of an idle connection, and a head has less time.
            self.0.take_if(|timer| timer.until > deadline);
            let timer = self.0.get_or_insert_with(|| {
                let clock = clock.clone();
                SetTimer {
                    until: deadline,
                    wait: Box::pin(async move { wait_until(&clock, deadline).await }),
                }
            });
            if timer.wait.as_mut().poll(context).is_pending() {
                return None;
            }
            // The timer may have been set for an earlier head.
            self.0 = None;
            if clock.elapsed() >= deadline {
                return Some(head);
            }
        }
        None
    }
}
