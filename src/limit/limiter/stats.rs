//! Statistics: the decisions since the start, and the use of the tables.

use super::decision::LimitDenied;
use super::request::LimitRequest;
use super::table::Table;
use crate::limit::policy::{Action, MAX_RULES, RulesByAction, Tier};

/// A snapshot of all counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimiterStats {
    /// Admitted requests and charged misses, by action.
    pub admitted: Vec<(Action, u64)>,
    /// Denials by rule and tier.
    pub denied: Vec<DenialCount>,
    /// The table of clients.
    pub clients: TableUsage,
    /// The table of networks.
    pub networks: TableUsage,
}

/// How often one rule denied a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DenialCount {
    /// The action of the rule.
    pub action: Action,
    /// The number of the rule among those of its action, counted from zero.
    pub rule: usize,
    /// Whether a client or a network exceeded the rule.
    pub tier: Tier,
    /// Denied requests.
    pub count: u64,
}

/// How full a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableUsage {
    /// Entries in use.
    pub used: usize,
    /// All entries.
    pub size: usize,
    /// How often a newcomer took the entry of another key.
    pub evicted: u64,
    /// How often a charge went to a shared entry.
    pub shared: u64,
}

const ACTIONS: usize = Action::ALL.len();

/// The counters of decisions, kept under the limiter's lock.
#[derive(Debug, Default)]
pub(super) struct Counters {
    admitted: [u64; ACTIONS],
    /// By action, rule and tier.
    denied: [[[u64; 2]; MAX_RULES]; ACTIONS],
}

impl Counters {
    pub(super) fn count_admitted(&mut self, request: &LimitRequest) {
        self.admitted[request.action as usize] += request.requests;
    }

    pub(super) fn count_denied(&mut self, denied: &LimitDenied) {
        self.denied[denied.action as usize][denied.rule][denied.tier as usize] += 1;
    }
}

impl LimiterStats {
    pub(super) fn new(
        counters: &Counters,
        rules: &RulesByAction,
        clients: &Table,
        networks: &Table,
    ) -> Self {
        let mut denied = Vec::new();
        for action in Action::ALL {
            for rule in 0..rules.of(action).as_slice().len() {
                for tier in [Tier::Client, Tier::Network] {
                    denied.push(DenialCount {
                        action,
                        rule,
                        tier,
                        count: counters.denied[action as usize][rule][tier as usize],
                    });
                }
            }
        }
        let admitted = Action::ALL.map(|action| (action, counters.admitted[action as usize]));
        Self {
            admitted: admitted.into(),
            denied,
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
