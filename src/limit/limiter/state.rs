//! The state of the limiter. It consists of both tables and the counters, and changes only under the lock of the
//! limiter.

use std::time::Duration;

use super::decision::{Charge, LimitDenied, LimitGrant, StrictestDenial};
use super::entry::EntryRef;
use super::entry_layout::EntryLayout;
use super::request::{LimitRequest, Subject};
use super::stats::Counters;
use super::table::{Lookup, Table};
use crate::limit::policy::{Action, RulesByAction, Tier};

/// The number of entries in each table. Each number is rounded up to a power of two, and to at least eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSizes {
    /// The number of clients that have an entry.
    pub clients: usize,
    /// The number of networks that have an entry.
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

/// Both tables and the counters. Every parameter `now` is in nanoseconds.
pub(super) struct State {
    /// The latest time that any caller has passed.
    now: u64,
    pub(super) clients: Table,
    pub(super) networks: Table,
    pub(super) counters: Counters,
    pub(super) layout: EntryLayout,
}

impl State {
    pub(super) fn new(rules: &RulesByAction, sizes: TableSizes) -> Self {
        let layout = EntryLayout::new(rules);
        Self {
            now: 0,
            clients: Table::new(&layout, sizes.clients, Tier::Client),
            networks: Table::new(&layout, sizes.networks, Tier::Network),
            counters: Counters::default(),
            layout,
        }
    }

    /// Decides on a request like [`Self::decide`], and also counts a denial in the statistics.
    pub(super) fn admit(
        &mut self,
        now: u64,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        self.decide(now, subject, request)
            .inspect_err(|denied| self.counters.count_denied(denied))
    }

    /// Charges the request if all rules admit it. A denial is not counted.
    #[inline]
    pub(super) fn decide(
        &mut self,
        now: u64,
        subject: Subject,
        request: LimitRequest,
    ) -> Result<LimitGrant, LimitDenied> {
        let now = self.advance(now);
        let (lookups, wait) = self.judge(now, subject, &request)?;
        let entries = if self.layout.of(request.action).is_empty() {
            // The action has no rules. Nothing is charged, so no entry has to be evicted.
            [EntryRef::default(); 2]
        } else {
            self.charge(now, subject, lookups, &request)
        };
        self.counters.count_admitted(&request);
        Ok(LimitGrant {
            wait: Duration::from_nanos(wait),
            charge: Charge {
                subject,
                request,
                charged_at: now,
                starts_at: now.saturating_add(wait),
                entries,
            },
        })
    }

    /// Refunds the unused part of a charge.
    pub(super) fn refund(&mut self, now: u64, charge: &Charge, unused: &LimitRequest) {
        let times = [charge.charged_at, self.advance(now)];
        let rules = self.layout.of(unused.action);
        let ([client, network], multiplier) = (charge.entries, charge.subject.multiplier);
        (self.clients).refund(rules, client, times, multiplier, unused);
        (self.networks).refund(rules, network, times, multiplier, unused);
    }

    pub(super) fn look_up(&mut self, now: u64, subject: Subject) -> [Lookup; 2] {
        let (layout, network) = (&self.layout, subject.network_key());
        let client = subject.client.client;
        [
            self.clients.look_up(layout, now, client, network),
            self.networks.look_up(layout, now, network, network),
        ]
    }

    /// Checks that the client may miss, and counts a denial.
    pub(super) fn check_misses(&mut self, now: u64, subject: Subject) -> Result<(), LimitDenied> {
        let now = self.advance(now);
        self.judge(now, subject, &LimitRequest::one(Action::Miss))
            .map(|_| ())
            .inspect_err(|denied| self.counters.count_denied(denied))
    }

    /// Checks the request against the rules of both tiers. Returns the look-ups and the longer of the two waits in
    /// nanoseconds.
    #[inline]
    fn judge(
        &mut self,
        now: u64,
        subject: Subject,
        request: &LimitRequest,
    ) -> Result<([Lookup; 2], u64), LimitDenied> {
        // Both look-ups come before both checks, so that the two memory accesses can overlap.
        let lookups @ [client, network] = self.look_up(now, subject);
        let (rules, multiplier) = (self.layout.of(request.action), subject.multiplier);
        let mut denials = StrictestDenial::default();
        let client = (self.clients).judge(rules, client, now, multiplier, request, &mut denials);
        let network = (self.networks).judge(rules, network, now, multiplier, request, &mut denials);
        match denials.get() {
            Some(denied) => Err(denied),
            None => Ok((lookups, client.max(network))),
        }
    }

    /// Claims the entries of the client and of the network, and charges the request to them.
    pub(super) fn charge(
        &mut self,
        now: u64,
        subject: Subject,
        [client, network]: [Lookup; 2],
        request: &LimitRequest,
    ) -> [EntryRef; 2] {
        let client = self.clients.claim(client, subject.client.client);
        let network = self.networks.claim(network, subject.network_key());
        let (layout, multiplier) = (&self.layout, subject.multiplier);
        (self.clients).charge(layout, client, now, multiplier, request);
        (self.networks).charge(layout, network, now, multiplier, request);
        [client, network]
    }

    /// Advances the time of the limiter to `now`, unless `now` is earlier. Returns the resulting time.
    pub(super) fn advance(&mut self, now: u64) -> u64 {
        self.now = self.now.max(now);
        self.now
    }
}
