//! The limiter. It decides whether a client may do something now.
//!
//! Invariants: Nothing is charged unless all rules of the client and of its network admit the request. A denial changes
//! no table. The time of the limiter never goes back, even if a thread passes an earlier `now`.
//! Cost: One mutex is held for one decision. A decision takes two look-ups, and one or two multiplications for each
//! rule and tier. A read takes 0.1 to 0.3 µs, measured with one client and with 10^5 clients.
//! Why one lock for both tables: Two threads that did nothing else made 2.5 million decisions per second together. That
//! is several times as many as two cores can serve. One lock also makes it simple to charge either both tables or none.

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

pub(super) use decision::StrictestDenial;
pub use decision::{Charge, LimitDenied, LimitGrant};
pub use remaining_quota::RemainingQuota;
pub use request::{LimitRequest, Subject};
pub use state::TableSizes;
pub use stats::{DenialCount, LimiterStats, TableUsage};

use std::time::Duration;

use parking_lot::Mutex;

use super::policy::{Action, Rules, RulesByAction, Tier, nanos};
use state::State;

/// Limits the requests of clients. All threads use one limiter. Every parameter `now` is the time since the start of
/// the process.
pub struct Limiter {
    rules: RulesByAction,
    state: Mutex<State>,
}

impl Limiter {
    /// Creates a limiter with these rules and with empty tables of these sizes.
    pub fn new(rules: RulesByAction, sizes: TableSizes) -> Self {
        let state = Mutex::new(State::new(&rules, sizes));
        Self { rules, state }
    }

    /// Returns the rules of an action.
    pub fn rules(&self, action: Action) -> &Rules {
        self.rules.of(action)
    }

    /// Charges a request to all rules of the client and of its network.
    ///
    /// # Errors
    /// Returns an error if a rule denies the request. Then nothing is charged.
    pub fn admit(
        &self,
        now: Duration,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        self.state.lock().admit(nanos(now), subject, request)
    }

    /// Counts a denial by limits that are not those of this node.
    pub fn count_denied(&self, denied: &LimitDenied) {
        self.state.lock().counters.count_denied(denied);
    }

    /// Charges further bytes of an admitted request. It charges `most` bytes, or `least` bytes if a rule denies `most`.
    ///
    /// # Errors
    /// Returns an error if a rule denies `least` bytes too. Only then a denial is counted in the statistics.
    pub fn reserve(
        &self,
        now: Duration,
        subject: Subject,
        action: Action,
        [least, most]: [u64; 2],
    ) -> Result<Charge, LimitDenied> {
        let now = nanos(now);
        let [least, most] = [least, most].map(|bytes| LimitRequest::more_bytes(action, bytes));
        let mut state = self.state.lock();
        let grant = state
            .decide(now, subject, most)
            .or_else(|_| state.admit(now, subject, least))?;
        Ok(grant.charge)
    }

    /// Checks that the client may miss once more, before something that it may be guessing is looked up.
    ///
    /// # Errors
    /// Returns an error if a rule for misses denies it.
    pub fn check_misses(&self, now: Duration, subject: Subject) -> Result<(), LimitDenied> {
        self.state.lock().check_misses(nanos(now), subject)
    }

    /// Charges a miss. The miss has already happened, so it is charged even if a rule would deny it.
    pub fn charge_miss(&self, now: Duration, subject: Subject) {
        let mut state = self.state.lock();
        let (now, miss) = (state.advance(nanos(now)), LimitRequest::one(Action::Miss));
        state.counters.count_admitted(&miss);
        if !state.layout.of(Action::Miss).is_empty() {
            let lookups = state.look_up(now, subject);
            state.charge(now, subject, lookups, &miss);
        }
    }

    /// Refunds bytes that were charged and not used. It never refunds more bytes than the charge contains.
    pub fn refund(&self, charge: &mut Charge, bytes: u64) {
        let bytes = bytes.min(charge.request.bytes);
        charge.request.bytes -= bytes;
        let unused = LimitRequest::more_bytes(charge.request.action, bytes);
        // Bytes return to the slot that they were charged to, so the current time does not matter.
        self.state.lock().refund(0, charge, &unused);
    }

    /// Refunds a request that was refused for another reason. Tokens that have come back since the charge are not
    /// refunded.
    pub fn cancel(&self, now: Duration, charge: Charge) {
        (self.state.lock()).refund(nanos(now), &charge, &charge.request);
    }

    /// Refunds a request whose client left while it waited. If the wait is over, only the bytes are refunded, because
    /// the request was served or could have been. Tokens that have come back since the charge are not refunded.
    pub fn abandon(&self, now: Duration, mut charge: Charge) {
        if nanos(now) >= charge.starts_at {
            charge.request.requests = 0;
        }
        self.cancel(now, charge);
    }

    /// Returns how much the client has left of each rule of this action, in the order of the rules. The use of the
    /// other clients of its network is not considered.
    pub fn remaining_quotas(
        &self,
        now: Duration,
        subject: Subject,
        action: Action,
    ) -> Vec<RemainingQuota> {
        let state = &mut *self.state.lock();
        let now = state.advance(nanos(now));
        let [client, _] = state.look_up(now, subject);
        let rules = state.layout.of(action);
        RemainingQuota::all(&mut state.clients, rules, client, now, subject.multiplier)
    }

    /// Returns the number of decisions since the start and the usage of the tables.
    pub fn stats(&self) -> LimiterStats {
        let state = self.state.lock();
        let counted = |action, rule, tier| DenialCount {
            action,
            rule,
            tier,
            count: state.counters.denied[action as usize][rule][tier as usize],
        };
        let mut denied = Vec::new();
        for action in Action::ALL {
            for rule in 0..self.rules(action).as_slice().len() {
                denied.extend([Tier::Client, Tier::Network].map(|it| counted(action, rule, it)));
            }
        }
        let admitted = state.counters.admitted;
        LimiterStats {
            admitted: Action::ALL.map(|it| (it, admitted[it as usize])),
            denied,
            clients: state.clients.usage,
            networks: state.networks.usage,
        }
    }

    /// Returns the virtual memory of the tables in bytes. The windows are not counted.
    pub fn bytes(&self) -> usize {
        let state = self.state.lock();
        state.clients.bytes() + state.networks.bytes()
    }

    /// Returns the keys of the clients that have an entry, in the order of the table. Only tests use this.
    #[cfg(test)]
    pub(super) fn clients(&self) -> Vec<u64> {
        self.state.lock().clients.keys()
    }

    /// Recounts the tables and panics if they are inconsistent. Only tests use this, because it visits every entry.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        let state = self.state.lock();
        for table in [&state.clients, &state.networks] {
            assert_eq!(table.inconsistency(), None);
        }
    }
}
