//! The limiter: decides whether a client may do something now.
//!
//! Invariants: the rules of the client and of its network all agree, or nothing is charged. A denial changes no table.
//! Time never goes back, whatever `now` the calling threads pass.
//! Cost: one mutex, held for one decision: two look-ups, and a multiplication or two per rule and tier. A read takes
//! 0.1 to 0.3 µs, measured with one client and with 10^5.
//! Why one lock for both tables: two threads that did nothing else made two and a half million decisions per second
//! together, several times what two cores can serve. It also makes "all or nothing" simple.

mod bucket;
mod decision;
mod entry;
mod entry_layout;
mod remaining_quota;
mod request;
mod state;
mod stats;
mod table;
mod tag_sets;
#[cfg(test)]
mod tests;
mod window;

pub use decision::{Charge, LimitDenied, LimitGrant};
pub use remaining_quota::RemainingQuota;
pub use request::{LimitRequest, Subject};
pub use state::TableSizes;
pub use stats::{DenialCount, LimiterStats, TableUsage};

use std::time::Duration;

use parking_lot::Mutex;

use super::policy::{Action, Rules, RulesByAction, nanos};
use entry_layout::EntryLayout;
use state::State;

/// A limiter for all threads. Every `now` is the time since the start of the process.
#[derive(Debug)]
pub struct Limiter {
    layout: EntryLayout,
    state: Mutex<State>,
}

impl Limiter {
    /// A limiter with these rules and tables.
    #[must_use]
    pub fn new(rules: RulesByAction, sizes: TableSizes) -> Self {
        let layout = EntryLayout::new(rules);
        let state = Mutex::new(State::new(&layout, sizes));
        Self { layout, state }
    }

    /// The rules of an action.
    #[must_use]
    pub fn rules(&self, action: Action) -> &Rules {
        self.layout.rules().of(action)
    }

    /// Charges a request to all rules of the client and of its network.
    ///
    /// # Errors
    /// If a rule denies the request; then nothing is charged.
    pub fn admit(
        &self,
        now: Duration,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        let mut state = self.state.lock();
        state.admit(&self.layout, nanos(now), subject, request)
    }

    /// Charges further bytes of an admitted request: `most` of them, or `least` if `most` are denied.
    ///
    /// # Errors
    /// If a rule denies `least` bytes too. Only this counts as a denial.
    pub fn reserve(
        &self,
        now: Duration,
        subject: Subject,
        action: Action,
        [least, most]: [u64; 2],
    ) -> Result<Charge, LimitDenied> {
        let (layout, now) = (&self.layout, nanos(now));
        let [least, most] = [least, most].map(|bytes| LimitRequest::more_bytes(action, bytes));
        let mut state = self.state.lock();
        let grant = state
            .decide(layout, now, subject, most)
            .or_else(|_| state.admit(layout, now, subject, least))?;
        Ok(grant.charge)
    }

    /// Charges a miss, also beyond the rules: it has happened.
    pub fn charge_miss(&self, now: Duration, subject: Subject) {
        let mut state = self.state.lock();
        state.charge_miss(&self.layout, nanos(now), subject);
    }

    /// Refunds bytes that were charged and not used, at most those of the charge.
    pub fn refund(&self, charge: &mut Charge, bytes: u64) {
        let bytes = bytes.min(charge.request.bytes);
        charge.request.bytes -= bytes;
        let unused = LimitRequest::more_bytes(charge.request.action, bytes);
        // Bytes return to the slot that they were charged to, whatever the time is.
        self.state.lock().refund(&self.layout, 0, charge, &unused);
    }

    /// Refunds what time has not repaid of a request that was refused for another reason.
    pub fn cancel(&self, now: Duration, charge: Charge) {
        let mut state = self.state.lock();
        state.refund(&self.layout, nanos(now), &charge, &charge.request);
    }

    /// Refunds what time has not repaid of a request that ended while it waited. After its wait only its bytes are
    /// refunded: it was served, or could have been.
    pub fn abandon(&self, now: Duration, mut charge: Charge) {
        if nanos(now) >= charge.starts_at {
            charge.request.requests = 0;
        }
        self.cancel(now, charge);
    }

    /// What each rule of this action leaves the client, in the order of the rules. The network's use does not count.
    #[must_use]
    pub fn remaining_quotas(
        &self,
        now: Duration,
        subject: Subject,
        action: Action,
    ) -> Vec<RemainingQuota> {
        let mut state = self.state.lock();
        state.remaining_quotas(&self.layout, nanos(now), subject, action)
    }

    /// The decisions since the start, and the use of the tables.
    #[must_use]
    pub fn stats(&self) -> LimiterStats {
        self.state.lock().stats(self.layout.rules())
    }

    /// Bytes of virtual memory of the tables, without windows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.state.lock().bytes()
    }

    /// The keys of the clients that have an entry, in the order of the table; for tests.
    #[cfg(test)]
    pub(super) fn clients(&self) -> Vec<u64> {
        self.state.lock().clients.keys()
    }

    /// Recounts the tables; for tests, as it walks everything.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        let state = self.state.lock();
        for table in [&state.clients, &state.networks] {
            assert_eq!(table.inconsistency(), None);
        }
    }
}
