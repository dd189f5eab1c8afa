//! Counters: what the limiter decided since the start, and how full its tables are.
//!
//! What it must not know: how they are shown.
//! Cost: plain integers, counted while the limiter's lock is held anyway.

use super::table::Table;
use super::{Action, LimitDenied, LimitRequest, MAX_RULES, RulesByAction, Tier};

/// A copy of all counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimiterStats {
    /// Requests admitted, and misses charged.
    pub admitted: Vec<(Action, u64)>,
    /// Refusals by the rule that gave them.
    pub denied: Vec<DenialCount>,
    /// The table of clients.
    pub clients: TableUsage,
    /// The table of networks.
    pub networks: TableUsage,
}

/// How often one rule refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DenialCount {
    /// Whose rule.
    pub action: Action,
    /// Which of them, in the order they were written.
    pub rule: usize,
    /// The client's figures, or the network's.
    pub tier: Tier,
    /// How often.
    pub count: u64,
}

/// How full a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableUsage {
    /// Entries in use.
    pub used: usize,
    /// Entries there are.
    pub size: usize,
    /// How often somebody new took the entry of another.
    pub evicted: u64,
    /// How often somebody was charged to a shared entry.
    pub shared: u64,
}

const ACTIONS: usize = Action::ALL.len();

/// What is counted under the lock.
#[derive(Debug)]
pub(super) struct Counters {
    admitted: [u64; ACTIONS],
    /// For each action, rule and tier.
    denied: [[[u64; 2]; MAX_RULES]; ACTIONS],
    /// How many rules each action has.
    rules: [usize; ACTIONS],
}

impl Counters {
    pub(super) fn new(limits: &RulesByAction) -> Self {
        Self {
            admitted: [0; ACTIONS],
            denied: [[[0; 2]; MAX_RULES]; ACTIONS],
            rules: Action::ALL.map(|action| limits.of(action).as_slice().len()),
        }
    }

    pub(super) fn admitted(&mut self, request: &LimitRequest) {
        self.admitted[request.action as usize] += request.requests;
    }

    pub(super) fn denied(&mut self, denied: &LimitDenied) {
        self.denied[denied.action as usize][denied.rule][denied.tier as usize] += 1;
    }
}

impl LimiterStats {
    pub(super) fn new(counters: &Counters, clients: &Table, networks: &Table) -> Self {
        let denied = Action::ALL.into_iter().flat_map(|action| {
            (0..counters.rules[action as usize]).flat_map(move |rule| {
                [Tier::Client, Tier::Network].map(|tier| DenialCount {
                    action,
                    rule,
                    tier,
                    count: counters.denied[action as usize][rule][tier as usize],
                })
            })
        });
        Self {
            admitted: Action::ALL
                .map(|action| (action, counters.admitted[action as usize]))
                .into(),
            denied: denied.collect(),
            clients: TableUsage::of(clients),
            networks: TableUsage::of(networks),
        }
    }
}

impl TableUsage {
    fn of(table: &Table) -> Self {
        Self {
            used: table.used,
            size: table.size(),
            evicted: table.evicted,
            shared: table.shared,
        }
    }
}
