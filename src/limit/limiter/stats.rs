//! Statistics of the limiter. They count the decisions since the start and show how full the tables are.

use super::decision::LimitDenied;
use super::request::LimitRequest;
use crate::limit::policy::{Action, MAX_RULES, Tier};

/// A snapshot of all counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimiterStats {
    /// The number of admitted requests for each action. For [`Action::Miss`] it is the number of charged misses.
    pub admitted: [(Action, u64); ACTIONS],
    /// The number of denials for each rule and tier.
    pub denied: Vec<DenialCount>,
    /// The usage of the table of clients.
    pub clients: TableUsage,
    /// The usage of the table of networks.
    pub networks: TableUsage,
}

/// Counts how often one rule denied a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DenialCount {
    /// The action of the rule.
    pub action: Action,
    /// The index of the rule among the rules of its action.
    pub rule: usize,
    /// The tier that exceeded the rule: clients or networks.
    pub tier: Tier,
    /// The number of denied requests.
    pub count: u64,
}

/// The usage of one table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableUsage {
    /// The number of entries in use.
    pub used: usize,
    /// The number of all entries. Shared entries are not counted.
    pub size: usize,
    /// Counts how often a new key replaced the key of an entry.
    pub evicted: u64,
    /// Counts how often a charge went to a shared entry.
    pub shared: u64,
}

const ACTIONS: usize = Action::ALL.len();

/// Counts the decisions. The lock of the limiter protects the counters.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) admitted: [u64; ACTIONS],
    /// The number of denials, indexed by action, rule and tier.
    pub(super) denied: [[[u64; 2]; MAX_RULES]; ACTIONS],
}

impl Counters {
    pub(super) fn count_admitted(&mut self, request: &LimitRequest) {
        self.admitted[request.action as usize] += request.requests;
    }

    pub(super) fn count_denied(&mut self, denied: &LimitDenied) {
        self.denied[denied.action as usize][denied.rule][denied.tier as usize] += 1;
    }
}
