//! The timer of a connection, which limits the time that the head of a request may take.
//!
//! Cost: one timer per connection, set at most once in each [`HEAD_TIMEOUT`].

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use crate::clock::Clock;
use crate::http::connection::state::{ConnectionState, PendingHead};
use crate::http::connection::timer::wait_until;

/// Maximum time that a head may take. The connection is closed when a head takes longer.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// A timer that is set while the connection waits for a head, and stays set when the head arrives.
#[derive(Default)]
pub(crate) struct HeadTimer(Option<Pin<Box<dyn Future<Output = ()>>>>);

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
            let deadline = head.since.saturating_add(HEAD_TIMEOUT);
            let timer = self.0.get_or_insert_with(|| {
                let clock = clock.clone();
                Box::pin(async move { wait_until(&clock, deadline).await })
            });
            if timer.as_mut().poll(context).is_pending() {
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
