//! What is asked of the limiter, and what it answers.
//!
//! What it must not know: addresses, requests of HTTP; who asks comes as keyed hashes made at the edge.

use std::time::Duration;

use super::bucket::NETWORK_FACTOR;
use super::table::EntryRef;
use super::{Action, Multiplier};
use crate::fairness::ClientKey;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The client and its network. The bits of both hashes are used as they are.
    pub client: ClientKey,
    /// The factor that the operator gives this client.
    pub multiplier: Multiplier,
}

impl Subject {
    /// The key of what the client's network used. Clients of one network that have different factors are no concern of
    /// each other's: one that may do a hundred times as much would leave its neighbours nothing.
    pub(super) fn network_entry(self) -> u64 {
        // An odd number, so that no two factors come out the same, and large, so that tags and sets differ too.
        let factor = u64::from(self.multiplier) - 1;
        self.client.network ^ factor.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// What somebody wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRequest {
    pub(super) action: Action,
    pub(super) requests: u64,
    pub(super) bytes: u64,
    pub(super) looks_up: bool,
}

impl LimitRequest {
    /// One request of this action, without bytes.
    #[must_use]
    pub fn one(action: Action) -> Self {
        Self {
            action,
            requests: 1,
            bytes: 0,
            looks_up: false,
        }
    }

    /// No request, but bytes that one which was admitted goes on to bring: for bodies of unknown length.
    #[must_use]
    pub fn more_bytes(action: Action, bytes: u64) -> Self {
        Self {
            requests: 0,
            ..Self::one(action).with_bytes(bytes)
        }
    }

    /// And these bytes.
    #[must_use]
    pub fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// And to look an id up, which whoever missed too often may not, hit or miss.
    #[must_use]
    pub fn looking_up(self) -> Self {
        Self {
            looks_up: true,
            ..self
        }
    }
}

/// A yes.
#[derive(Debug)]
pub struct LimitGrant {
    /// How long to wait first: the request's turn is kept for it. Zero where no rule says `wait`.
    pub wait: Duration,
    /// What was taken for it.
    pub charge: Charge,
}

/// What was taken from a client and its network, to give back what is not used of it.
#[derive(Debug)]
#[must_use = "a charge says what may be given back"]
pub struct Charge {
    pub(super) subject: Subject,
    pub(super) request: LimitRequest,
    /// When it was taken, in nanoseconds.
    pub(super) at: u64,
    /// When the request's turn is.
    pub(super) starts_at: u64,
    /// The entries it was taken from: the client's, the network's.
    pub(super) entries: [EntryRef; 2],
}

impl Charge {
    /// Bytes that were reserved and not given back.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.request.bytes
    }
}

/// A no: what was asked would go beyond a rule. Nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitDenied {
    /// Whose rules; for a look-up those of misses may refuse a read.
    pub action: Action,
    /// Which of them, in the order they were written; the one that refuses for longest.
    pub rule: usize,
    /// The client's own, or its network's.
    pub tier: Tier,
    /// When to come back: then all rules would agree, if nothing else is asked meanwhile. None if more bytes are asked
    /// for than the rule ever allows.
    pub retry_after: Option<Duration>,
}

/// Whose figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The client's.
    Client,
    /// Those of its network, sixteen times as large; of all its clients that have the same factor.
    Network,
}

impl Tier {
    /// How many times the figures of a rule it has.
    pub(super) fn factor(self) -> u64 {
        match self {
            Self::Client => 1,
            Self::Network => NETWORK_FACTOR,
        }
    }
}
