//! The decisions of the limiter. A decision is either a grant, which carries its charge, or a denial.

use std::time::Duration;

use super::entry::EntryRef;
use super::request::{LimitRequest, Subject};
use crate::limit::policy::{Action, Tier};

/// The limiter returns this if the rules admit a request.
#[derive(Debug)]
pub struct LimitGrant {
    /// The request must wait this long before it is served. Its token is already reserved. The wait is zero unless a
    /// rule says `wait`.
    pub wait: Duration,
    /// The charge of the request.
    pub charge: Charge,
}

/// A charge to a client and its network. It can be refunded if it is not used.
#[must_use = "a charge is needed to refund what is not used"]
#[derive(Debug)]
pub struct Charge {
    pub(super) subject: Subject,
    pub(super) request: LimitRequest,
    /// The time of the charge, in nanoseconds.
    pub(super) charged_at: u64,
    /// The time when the wait is over, in nanoseconds.
    pub(super) starts_at: u64,
    /// The table entries of the client and of its network, in this order.
    pub(super) entries: [EntryRef; 2],
}

impl Charge {
    /// Returns the bytes that were charged and not refunded.
    pub fn bytes(&self) -> u64 {
        self.request.bytes
    }
}

/// The limiter returns this if a request would exceed a rule. Nothing was charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitDenied {
    /// The action whose rule denies the request.
    pub action: Action,
    /// The index of the rule among the rules of its action. If several rules deny, this is the one that denies longest.
    pub rule: usize,
    /// The tier that exceeds the rule: the client or its network.
    pub tier: Tier,
    /// The time until all rules would admit the request, if nothing else is charged in the meantime. It is `None` if
    /// the rule never allows that many bytes at once.
    pub retry_after: Option<Duration>,
}

/// Keeps the denial that lasts longest. If several last equally long, it keeps the first.
#[derive(Debug, Default)]
pub(in crate::limit) struct StrictestDenial(Option<LimitDenied>);

impl StrictestDenial {
    #[cold]
    pub(in crate::limit) fn observe(&mut self, denied: LimitDenied) {
        let lasts = |denied: LimitDenied| denied.retry_after.unwrap_or(Duration::MAX);
        if self.0.is_none_or(|other| lasts(denied) > lasts(other)) {
            self.0 = Some(denied);
        }
    }

    pub(in crate::limit) fn get(self) -> Option<LimitDenied> {
        self.0
    }
}
