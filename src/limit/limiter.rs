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

use super::counters::{Counters, Tallies};
use super::plan::Plan;
use super::table::{Held, Place, Table};
use super::{
    Action, Charge, LimitDenied, LimitGrant, LimitRequest, Limits, Rules, Standing, Subject, Tier,
    nanos,
};

/// How many clients and networks are remembered; rounded up to a power of two, at least eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Clients.
    pub clients: usize,
    /// Networks.
    pub networks: usize,
}

impl Default for Sizes {
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
    plan: Plan,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The latest moment that anybody said it was.
    now: u64,
    clients: Table,
    networks: Table,
    tallies: Tallies,
}

impl Limiter {
    /// A limiter by these rules, with tables of these sizes.
    #[must_use]
    pub fn new(limits: Limits, sizes: Sizes) -> Self {
        let plan = Plan::new(limits);
        let state = State {
            now: 0,
            clients: Table::new(&plan, sizes.clients, Tier::Client),
            networks: Table::new(&plan, sizes.networks, Tier::Network),
            tallies: Tallies::new(plan.limits()),
        };
        Self {
            plan,
            state: Mutex::new(state),
        }
    }

    /// The rules of an action.
    #[must_use]
    pub fn rules(&self, action: Action) -> &Rules {
        self.plan.limits().of(action)
    }

    /// Takes what is asked for from every rule of the client and of its network; or nothing from any, if one of them
    /// has too little.
    pub fn admit(
        &self,
        now: Duration,
        who: Subject,
        ask: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        self.state.lock().admit(&self.plan, nanos(now), who, ask)
    }

    /// Takes bytes that a request which was admitted goes on to bring: `most` of them, or `least` where there is no room
    /// for more. Only if there is none for these either, somebody was refused.
    pub fn reserve(
        &self,
        now: Duration,
        who: Subject,
        action: Action,
        [least, most]: [u64; 2],
    ) -> Result<Charge, LimitDenied> {
        let (plan, now) = (&self.plan, nanos(now));
        let [least, most] = [least, most].map(|bytes| LimitRequest::more_bytes(action, bytes));
        let mut state = self.state.lock();
        let said = match state.decide(plan, now, who, most) {
            Ok(yes) => Ok(yes),
            Err(_) => state.admit(plan, now, who, least),
        };
        said.map(|yes| yes.charge)
    }

    /// Charges a miss, even one that the rules have no room for: it has happened.
    pub fn charge_miss(&self, now: Duration, who: Subject) {
        self.state.lock().charge_miss(&self.plan, nanos(now), who);
    }

    /// Gives back bytes that were reserved and not kept, at most those of the charge.
    pub fn give_back(&self, charge: &mut Charge, bytes: u64) {
        let bytes = bytes.min(charge.ask.bytes);
        charge.ask.bytes -= bytes;
        let unused = LimitRequest::more_bytes(charge.ask.action, bytes);
        // Bytes go back to where they were, whenever that is.
        self.state.lock().give_back(&self.plan, 0, charge, &unused);
    }

    /// Gives everything back that time has not repaid, for a request that was refused for another reason.
    pub fn cancel(&self, now: Duration, charge: Charge) {
        let unused = charge.ask;
        self.give_back_at(now, &charge, &unused);
    }

    /// Gives everything back that time has not repaid, for a request that left before its turn. Once its turn has come
    /// only the bytes go back: it was served, or could have been.
    pub fn leave(&self, now: Duration, charge: Charge) {
        let is_early = nanos(now) < charge.turn;
        let unused = if is_early {
            charge.ask
        } else {
            LimitRequest::more_bytes(charge.ask.action, charge.ask.bytes)
        };
        self.give_back_at(now, &charge, &unused);
    }

    fn give_back_at(&self, now: Duration, charge: &Charge, unused: &LimitRequest) {
        let mut state = self.state.lock();
        state.give_back(&self.plan, nanos(now), charge, unused);
    }

    /// Where the client stands with each rule of this action, in the order they were written.
    #[must_use]
    pub fn standing(&self, now: Duration, who: Subject, action: Action) -> Vec<Standing> {
        let mut state = self.state.lock();
        let now = state.advance(nanos(now));
        let place = state
            .clients
            .place(&self.plan, now, who.client, who.network_entry());
        let rules = self.plan.of(action);
        Standing::of(&mut state.clients, rules, place, now, who.times)
    }

    /// What was counted since the start, and how full the tables are.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let state = self.state.lock();
        Counters::new(&state.tallies, &state.clients, &state.networks)
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
        plan: &Plan,
        now: u64,
        who: Subject,
        ask: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        let said = self.decide(plan, now, who, ask);
        if let Err(limited) = &said {
            self.tallies.limited(limited);
        }
        said
    }

    /// The same, but a no is not counted.
    #[inline]
    fn decide(
        &mut self,
        plan: &Plan,
        now: u64,
        who: Subject,
        ask: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        let now = self.advance(now);
        // Both before either is judged: the look-ups then wait for memory together.
        let places = self.places(plan, now, who);
        let waits = self.wait_for(plan, now, who, places, &ask);
        let may_look = !ask.looks_up || self.may_miss(plan, now, who, places);
        if (waits.is_none() || !may_look)
            && let Some(limited) = self.refusal(plan, now, who, places, &ask)
        {
            return Err(limited);
        }
        let wait = waits.unwrap_or(0);
        let entries = if plan.of(ask.action).is_empty() {
            // Nothing is taken, so nobody has to make room.
            [Held::default(); 2]
        } else {
            self.take(plan, now, who, places, &ask)
        };
        self.tallies.admitted(&ask);
        Ok(LimitGrant {
            wait: Duration::from_nanos(wait),
            charge: Charge {
                who,
                ask,
                at: now,
                turn: now.saturating_add(wait),
                entries,
            },
        })
    }

    fn charge_miss(&mut self, plan: &Plan, now: u64, who: Subject) {
        let now = self.advance(now);
        let ask = LimitRequest::one(Action::Miss);
        self.tallies.admitted(&ask);
        if !plan.of(Action::Miss).is_empty() {
            let places = self.places(plan, now, who);
            self.take(plan, now, who, places, &ask);
        }
    }

    fn places(&self, plan: &Plan, now: u64, who: Subject) -> [Place; 2] {
        let network = who.network_entry();
        [
            self.clients.place(plan, now, who.client, network),
            self.networks.place(plan, now, network, network),
        ]
    }

    /// The longer wait of the two tiers; none if one refuses.
    #[inline]
    fn wait_for(
        &mut self,
        plan: &Plan,
        now: u64,
        who: Subject,
        places: [Place; 2],
        ask: &LimitRequest,
    ) -> Option<u64> {
        let rules = plan.of(ask.action);
        let ([client, network], times) = (places, who.times);
        let client = self.clients.wait_for(rules, client, now, times, ask)?;
        let network = self.networks.wait_for(rules, network, now, times, ask)?;
        Some(client.max(network))
    }

    /// Whether a miss would be admitted; nothing is taken for it.
    #[inline]
    fn may_miss(&mut self, plan: &Plan, now: u64, who: Subject, places: [Place; 2]) -> bool {
        let miss = LimitRequest::one(Action::Miss);
        self.wait_for(plan, now, who, places, &miss).is_some()
    }

    /// Which of the rules refuses for longest.
    #[cold]
    fn refusal(
        &mut self,
        plan: &Plan,
        now: u64,
        who: Subject,
        places: [Place; 2],
        ask: &LimitRequest,
    ) -> Option<LimitDenied> {
        let ([client, network], times) = (places, who.times);
        let misses = ask.looks_up.then(|| LimitRequest::one(Action::Miss));
        let mut longest = None;
        for ask in [Some(*ask), misses].into_iter().flatten() {
            let rules = plan.of(ask.action);
            let refusals = [
                (
                    Tier::Client,
                    self.clients.refusal(rules, client, now, times, &ask),
                ),
                (
                    Tier::Network,
                    self.networks.refusal(rules, network, now, times, &ask),
                ),
            ];
            for (tier, refusal) in refusals {
                let limited = refusal.map(|refusal| LimitDenied {
                    action: ask.action,
                    rule: refusal.rule,
                    tier,
                    retry_after: refusal.retry_after.map(Duration::from_nanos),
                });
                longest = longer(longest, limited);
            }
        }
        longest
    }

    fn take(
        &mut self,
        plan: &Plan,
        now: u64,
        who: Subject,
        places: [Place; 2],
        ask: &LimitRequest,
    ) -> [Held; 2] {
        let ([client, network], times) = (places, who.times);
        let client = self.clients.claim(client, who.client);
        let network = self.networks.claim(network, who.network_entry());
        self.clients.charge(plan, client, now, times, ask);
        self.networks.charge(plan, network, now, times, ask);
        [client, network]
    }

    fn give_back(&mut self, plan: &Plan, now: u64, charge: &Charge, unused: &LimitRequest) {
        let rules = plan.of(unused.action);
        let ([client, network], times) = (charge.entries, charge.who.times);
        let moments = [charge.at, self.advance(now)];
        self.clients
            .give_back(rules, client, moments, times, unused);
        self.networks
            .give_back(rules, network, moments, times, unused);
    }

    /// The time: what the caller says, or the latest before it.
    fn advance(&mut self, now: u64) -> u64 {
        self.now = self.now.max(now);
        self.now
    }
}

/// The refusal that lasts longer; one that lasts for ever, above all.
fn longer(one: Option<LimitDenied>, other: Option<LimitDenied>) -> Option<LimitDenied> {
    let lasts = |limited: &LimitDenied| limited.retry_after.unwrap_or(Duration::MAX);
    match (one, other) {
        (Some(one), Some(other)) if lasts(&other) > lasts(&one) => Some(other),
        (one, other) => one.or(other),
    }
}
