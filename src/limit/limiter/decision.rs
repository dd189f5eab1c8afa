//! Decisions: a grant with its charge, or a denial.

use std::time::Duration;

use super::entry::EntryRef;
use super::request::{LimitRequest, Subject};
use crate::limit::policy::{Action, Tier};

/// The answer to a request that the rules admit.
#[derive(Debug)]
pub struct LimitGrant {
    /// How long the request has to wait first; its token is reserved. Zero unless a rule says `wait`.
    pub wait: Duration,
    /// What the request was charged.
    pub charge: Charge,
}

/// What was charged to a client and its network, to refund what is not used.
#[derive(Debug)]
#[must_use = "a charge is needed to refund what is not used"]
pub struct Charge {
    pub(super) subject: Subject,
    pub(super) request: LimitRequest,
    /// When it was charged, in nanoseconds.
    pub(super) charged_at: u64,
    /// When the wait is over, in nanoseconds.
    pub(super) starts_at: u64,
    /// The entries of the client and of its network.
    pub(super) entries: [EntryRef; 2],
}

impl Charge {
    /// Bytes that were charged and not refunded.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.request.bytes
    }
}

/// The answer to a request that would exceed a rule. Nothing was charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitDenied {
    /// The action whose rule denies. A read that looks up an id may be denied by the rules of misses.
    pub action: Action,
    /// The number of the rule among those of its action, counted from zero. Among several, the one that denies longest.
    pub rule: usize,
    /// Whether the client or its network exceeds the rule.
    pub tier: Tier,
    /// When all rules would agree, if nothing else is charged meanwhile. `None` if the rule never allows that many
    /// bytes at once.
    pub retry_after: Option<Duration>,
}

/// The denial that lasts longest so far. Among equals it is the first.
#[derive(Debug, Default)]
pub(super) struct StrictestDenial(Option<LimitDenied>);

impl StrictestDenial {
    #[cold]
    pub(super) fn observe(&mut self, denied: LimitDenied) {
        let lasts = |denied: LimitDenied| denied.retry_after.unwrap_or(Duration::MAX);
        if self.0.is_none_or(|other| lasts(denied) > lasts(other)) {
            self.0 = Some(denied);
        }
    }

    pub(super) fn get(self) -> Option<LimitDenied> {
        self.0
    }
}
