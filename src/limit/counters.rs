//! Counters: what the limiter decided since the start, and how full its tables are.
//!
//! What it must not know: how they are shown.
//! Cost: plain integers, counted while the limiter's lock is held anyway.

use super::table::Table;
use super::{Action, LimitDenied, LimitRequest, Limits, MOST_RULES, Tier};

/// A copy of all counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counters {
    /// Requests admitted, and misses charged.
    pub admitted: Vec<(Action, u64)>,
    /// Refusals by the rule that gave them.
    pub limited: Vec<LimitedCount>,
    /// The table of clients.
    pub clients: Fill,
    /// The table of networks.
    pub networks: Fill,
}

/// How often one rule refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitedCount {
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
pub struct Fill {
    /// Entries in use.
    pub used: usize,
    /// Entries there are.
    pub size: usize,
    /// How often somebody new took the entry of another.
    pub put_out: u64,
    /// How often somebody was charged to a shared entry.
    pub shared: u64,
}

const ACTIONS: usize = Action::ALL.len();

/// What is counted under the lock.
#[derive(Debug)]
pub(super) struct Tallies {
    admitted: [u64; ACTIONS],
    /// For each action, rule and tier.
    limited: [[[u64; 2]; MOST_RULES]; ACTIONS],
    /// How many rules each action has.
    rules: [usize; ACTIONS],
}

impl Tallies {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            admitted: [0; ACTIONS],
            limited: [[[0; 2]; MOST_RULES]; ACTIONS],
            rules: Action::ALL.map(|action| limits.of(action).as_slice().len()),
        }
    }

    pub(super) fn admitted(&mut self, ask: &LimitRequest) {
        self.admitted[ask.action as usize] += ask.requests;
    }

    pub(super) fn limited(&mut self, limited: &LimitDenied) {
        self.limited[limited.action as usize][limited.rule][limited.tier as usize] += 1;
    }
}

impl Counters {
    pub(super) fn new(tallies: &Tallies, clients: &Table, networks: &Table) -> Self {
        let limited = Action::ALL.into_iter().flat_map(|action| {
            (0..tallies.rules[action as usize]).flat_map(move |rule| {
                [Tier::Client, Tier::Network].map(|tier| LimitedCount {
                    action,
                    rule,
                    tier,
                    count: tallies.limited[action as usize][rule][tier as usize],
                })
            })
        });
        Self {
            admitted: Action::ALL
                .map(|action| (action, tallies.admitted[action as usize]))
                .into(),
            limited: limited.collect(),
            clients: Fill::of(clients),
            networks: Fill::of(networks),
        }
    }
}

impl Fill {
    fn of(table: &Table) -> Self {
        Self {
            used: table.used,
            size: table.size(),
            put_out: table.put_out,
            shared: table.shared,
        }
    }
}
