//! The limiter: may this client do that now?
//!
//! What it must not know: addresses, HTTP, the clock (every call is told `now`).
//! Invariants: the rules of the client and of its network all agree, or nothing is taken from any; a refusal changes
//! no table; time never goes back, whatever the callers' threads say.
//! Cost: one mutex, held for a decision: two look-ups, and for each rule and tier a multiplication or two; 0.1 to
//! 0.3 µs for a read, measured with one client and with 10^5.
//! Why one lock for both tables: two threads that did nothing else decided two and a half million times a second
//! together, several times what two cores can serve; and all-or-nothing needs no order of locking.

use std::time::Duration;

use parking_lot::Mutex;

use super::entry_layout::EntryLayout;
use super::stats::{Counters, LimiterStats};
use super::table::{EntryRef, Place, Table};
use super::{
    Action, Charge, LimitDenied, LimitGrant, LimitRequest, RemainingQuota, Rules, RulesByAction,
    Subject, Tier, nanos,
};

/// How many clients and networks are remembered; rounded up to a power of two, at least eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSizes {
    /// Clients.
    pub clients: usize,
    /// Networks.
    pub networks: usize,
}

impl Default for TableSizes {
    fn default() -> Self {
        Self {
            clients: 32_768,
            networks: 8_192,
        }
    }
}

/// The limiter. Shared by reference; every method takes the lock itself.
#[derive(Debug)]
pub struct Limiter {
    layout: EntryLayout,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The latest moment that anybody said it was.
    now: u64,
    clients: Table,
    networks: Table,
    counters: Counters,
}

impl Limiter {
    /// A limiter by these rules, with tables of these sizes.
    #[must_use]
    pub fn new(limits: RulesByAction, sizes: TableSizes) -> Self {
        let layout = EntryLayout::new(limits);
        let state = State {
            now: 0,
            clients: Table::new(&layout, sizes.clients, Tier::Client),
            networks: Table::new(&layout, sizes.networks, Tier::Network),
            counters: Counters::new(layout.limits()),
        };
        Self {
            layout,
            state: Mutex::new(state),
        }
    }

    /// The rules of an action.
    #[must_use]
    pub fn rules(&self, action: Action) -> &Rules {
        self.layout.limits().of(action)
    }

    /// Takes what is asked for from every rule of the client and of its network; or nothing from any, if one of them
    /// has too little.
    pub fn admit(
        &self,
        now: Duration,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        self.state
            .lock()
            .admit(&self.layout, nanos(now), subject, request)
    }

    /// Takes bytes that a request which was admitted goes on to bring: `most` of them, or `least` where there is no room
    /// for more. Only if there is none for these either, somebody was refused.
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
        let said = match state.decide(layout, now, subject, most) {
            Ok(yes) => Ok(yes),
            Err(_) => state.admit(layout, now, subject, least),
        };
        said.map(|yes| yes.charge)
    }

    /// Charges a miss, even one that the rules have no room for: it has happened.
    pub fn charge_miss(&self, now: Duration, subject: Subject) {
        self.state
            .lock()
            .charge_miss(&self.layout, nanos(now), subject);
    }

    /// Gives back bytes that were reserved and not kept, at most those of the charge.
    pub fn refund(&self, charge: &mut Charge, bytes: u64) {
        let bytes = bytes.min(charge.request.bytes);
        charge.request.bytes -= bytes;
        let unused = LimitRequest::more_bytes(charge.request.action, bytes);
        // Bytes go back to where they were, whenever that is.
        self.state.lock().refund(&self.layout, 0, charge, &unused);
    }

    /// Gives everything back that time has not repaid, for a request that was refused for another reason.
    pub fn cancel(&self, now: Duration, charge: Charge) {
        let unused = charge.request;
        self.refund_at(now, &charge, &unused);
    }

    /// Gives everything back that time has not repaid, for a request that left before its turn. Once its turn has come
    /// only the bytes go back: it was served, or could have been.
    pub fn abandon(&self, now: Duration, charge: Charge) {
        let is_early = nanos(now) < charge.starts_at;
        let unused = if is_early {
            charge.request
        } else {
            LimitRequest::more_bytes(charge.request.action, charge.request.bytes)
        };
        self.refund_at(now, &charge, &unused);
    }

    fn refund_at(&self, now: Duration, charge: &Charge, unused: &LimitRequest) {
        let mut state = self.state.lock();
        state.refund(&self.layout, nanos(now), charge, unused);
    }

    /// Where the client stands with each rule of this action, in the order they were written.
    #[must_use]
    pub fn remaining_quotas(
        &self,
        now: Duration,
        subject: Subject,
        action: Action,
    ) -> Vec<RemainingQuota> {
        let mut state = self.state.lock();
        let now = state.advance(nanos(now));
        let place = state.clients.place(
            &self.layout,
            now,
            subject.client.client,
            subject.network_entry(),
        );
        let rules = self.layout.of(action);
        RemainingQuota::of(&mut state.clients, rules, place, now, subject.multiplier)
    }

    /// What was counted since the start, and how full the tables are.
    #[must_use]
    pub fn stats(&self) -> LimiterStats {
        let state = self.state.lock();
        LimiterStats::new(&state.counters, &state.clients, &state.networks)
    }

    /// Bytes of virtual memory that the tables take, without windows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let state = self.state.lock();
        state.clients.bytes() + state.networks.bytes()
    }

    /// The clients that have an entry, in the order of the table; for tests.
    #[cfg(test)]
    pub(super) fn clients(&self) -> Vec<u64> {
        self.state.lock().clients.keys()
    }

    /// Recounts the tables; for tests, since it walks everything.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        let state = self.state.lock();
        for table in [&state.clients, &state.networks] {
            assert_eq!(table.inconsistency(), None);
        }
    }
}

impl State {
    fn admit(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        let said = self.decide(layout, now, subject, request);
        if let Err(denied) = &said {
            self.counters.denied(denied);
        }
        said
    }

    /// The same, but a no is not counted.
    #[inline]
    fn decide(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        let now = self.advance(now);
        // Both before either is judged: the look-ups then wait for memory together.
        let places = self.places(layout, now, subject);
        let waits = self.wait_for(layout, now, subject, places, &request);
        let may_look = !request.looks_up || self.may_miss(layout, now, subject, places);
        if (waits.is_none() || !may_look)
            && let Some(denied) = self.denial(layout, now, subject, places, &request)
        {
            return Err(denied);
        }
        let wait = waits.unwrap_or(0);
        let entries = if layout.of(request.action).is_empty() {
            // Nothing is taken, so nobody has to make room.
            [EntryRef::default(); 2]
        } else {
            self.take(layout, now, subject, places, &request)
        };
        self.counters.admitted(&request);
        Ok(LimitGrant {
            wait: Duration::from_nanos(wait),
            charge: Charge {
                subject,
                request,
                at: now,
                starts_at: now.saturating_add(wait),
                entries,
            },
        })
    }

    fn charge_miss(&mut self, layout: &EntryLayout, now: u64, subject: Subject) {
        let now = self.advance(now);
        let request = LimitRequest::one(Action::Miss);
        self.counters.admitted(&request);
        if !layout.of(Action::Miss).is_empty() {
            let places = self.places(layout, now, subject);
            self.take(layout, now, subject, places, &request);
        }
    }

    fn places(&self, layout: &EntryLayout, now: u64, subject: Subject) -> [Place; 2] {
        let network = subject.network_entry();
        [
            self.clients
                .place(layout, now, subject.client.client, network),
            self.networks.place(layout, now, network, network),
        ]
    }

    /// The longer wait of the two tiers; none if one refuses.
    #[inline]
    fn wait_for(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        subject: Subject,
        places: [Place; 2],
        request: &LimitRequest,
    ) -> Option<u64> {
        let rules = layout.of(request.action);
        let ([client, network], multiplier) = (places, subject.multiplier);
        let client = self
            .clients
            .wait_for(rules, client, now, multiplier, request)?;
        let network = self
            .networks
            .wait_for(rules, network, now, multiplier, request)?;
        Some(client.max(network))
    }

    /// Whether a miss would be admitted; nothing is taken for it.
    #[inline]
    fn may_miss(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        subject: Subject,
        places: [Place; 2],
    ) -> bool {
        let miss = LimitRequest::one(Action::Miss);
        self.wait_for(layout, now, subject, places, &miss).is_some()
    }

    /// Which of the rules refuses for longest.
    #[cold]
    fn denial(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        subject: Subject,
        places: [Place; 2],
        request: &LimitRequest,
    ) -> Option<LimitDenied> {
        let ([client, network], multiplier) = (places, subject.multiplier);
        let misses = request.looks_up.then(|| LimitRequest::one(Action::Miss));
        let mut longest = None;
        for request in [Some(*request), misses].into_iter().flatten() {
            let rules = layout.of(request.action);
            let refusals = [
                (
                    Tier::Client,
                    self.clients
                        .denial(rules, client, now, multiplier, &request),
                ),
                (
                    Tier::Network,
                    self.networks
                        .denial(rules, network, now, multiplier, &request),
                ),
            ];
            for (tier, denial) in refusals {
                let denied = denial.map(|denial| LimitDenied {
                    action: request.action,
                    rule: denial.rule,
                    tier,
                    retry_after: denial.retry_after.map(Duration::from_nanos),
                });
                longest = longer(longest, denied);
            }
        }
        longest
    }

    fn take(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        subject: Subject,
        places: [Place; 2],
        request: &LimitRequest,
    ) -> [EntryRef; 2] {
        let ([client, network], multiplier) = (places, subject.multiplier);
        let client = self.clients.claim(client, subject.client.client);
        let network = self.networks.claim(network, subject.network_entry());
        self.clients
            .charge(layout, client, now, multiplier, request);
        self.networks
            .charge(layout, network, now, multiplier, request);
        [client, network]
    }

    fn refund(&mut self, layout: &EntryLayout, now: u64, charge: &Charge, unused: &LimitRequest) {
        let rules = layout.of(unused.action);
        let ([client, network], multiplier) = (charge.entries, charge.subject.multiplier);
        let moments = [charge.at, self.advance(now)];
        self.clients
            .refund(rules, client, moments, multiplier, unused);
        self.networks
            .refund(rules, network, moments, multiplier, unused);
    }

    /// The time: what the caller says, or the latest before it.
    fn advance(&mut self, now: u64) -> u64 {
        self.now = self.now.max(now);
        self.now
    }
}

/// The refusal that lasts longer; one that lasts for ever, above all.
fn longer(one: Option<LimitDenied>, other: Option<LimitDenied>) -> Option<LimitDenied> {
    let lasts = |denied: &LimitDenied| denied.retry_after.unwrap_or(Duration::MAX);
    match (one, other) {
        (Some(one), Some(other)) if lasts(&other) > lasts(&one) => Some(other),
        (one, other) => one.or(other),
    }
}
