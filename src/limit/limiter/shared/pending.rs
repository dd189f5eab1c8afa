//! Pending charges: those that this node made to an entry and that the engine does not know yet.
//!
//! Invariant: pending charges are sums, so their size does not depend on their number. A sum is negative if more was
//! refunded than charged since the last exchange.

use crate::limit::limiter::request::LimitRequest;
use crate::limit::policy::{Action, Unit};

/// The charges to one entry since the last exchange, less the refunds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::limit::limiter) struct Pending {
    /// The requests of each action.
    requests: [i64; Action::ALL.len()],
    /// The bytes of saves. No other action has bytes.
    bytes: i64,
    /// The time at which the last refunded charge was made, in nanoseconds.
    pub(super) refunded_at: u64,
}

/// A change of an entry that the engine does not know yet.
#[derive(Debug, Clone, Copy)]
pub(in crate::limit::limiter) enum Change<'a> {
    /// The request was charged.
    Charge(&'a LimitRequest),
    /// This part of a request was refunded. The request was charged at that time.
    Refund(&'a LimitRequest, u64),
}

impl Pending {
    pub(super) fn charge(&mut self, request: &LimitRequest) {
        let [requests, bytes] = self.sums(request.action);
        *requests = requests.saturating_add(signed(request.requests));
        *bytes = bytes.saturating_add(signed(request.bytes));
    }

    pub(super) fn refund(&mut self, unused: &LimitRequest, charged_at: u64) {
        let [requests, bytes] = self.sums(unused.action);
        *requests = requests.saturating_sub(signed(unused.requests));
        *bytes = bytes.saturating_sub(signed(unused.bytes));
        self.refunded_at = charged_at;
    }

    /// Subtracts the charges that the engine knows by now.
    pub(super) fn subtract(&mut self, sent: &Self) {
        for (sum, sent) in self.requests.iter_mut().zip(sent.requests) {
            *sum = sum.saturating_sub(sent);
        }
        self.bytes = self.bytes.saturating_sub(sent.bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests == [0; Action::ALL.len()] && self.bytes == 0
    }

    /// Returns how much of this unit is pending. The number is negative if it is a refund.
    pub(super) fn amount(&self, action: Action, unit: Unit) -> i64 {
        match unit {
            Unit::Requests => self.requests[action as usize],
            Unit::Bytes if action == Action::Save => self.bytes,
            Unit::Bytes => 0,
        }
    }

    fn sums(&mut self, action: Action) -> [&mut i64; 2] {
        [&mut self.requests[action as usize], &mut self.bytes]
    }
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}
