//! Limit requests: who wants to do what.

use crate::fairness::ClientKey;
use crate::limit::policy::{Action, Multiplier, Unit};

/// The client that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// Keyed hashes of the client and its network; their bits are used as they are.
    pub client: ClientKey,
    /// The multiplier that the operator gives this client.
    pub multiplier: Multiplier,
}

impl Subject {
    /// The key of the network's entry. Clients of one network with different multipliers have separate entries:
    /// otherwise a client that may do a hundred times as much would leave its neighbours nothing.
    pub(super) fn network_key(self) -> u64 {
        // The constant is odd, so that two multipliers never give one key, and large, so that tags and sets differ too.
        let multiplier = u64::from(self.multiplier) - 1;
        self.client.network ^ multiplier.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// What a client wants to do.
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

    /// Further bytes of an admitted request, for bodies of unknown length.
    #[must_use]
    pub fn more_bytes(action: Action, bytes: u64) -> Self {
        Self {
            requests: 0,
            bytes,
            ..Self::one(action)
        }
    }

    /// The same request with this many bytes.
    #[must_use]
    pub fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// The same request, which looks up an id as well. A client that missed too often may not look up any.
    #[must_use]
    pub fn looking_up(self) -> Self {
        Self {
            looks_up: true,
            ..self
        }
    }

    /// How much of this unit it uses.
    pub(super) fn amount(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Requests => self.requests,
            Unit::Bytes => self.bytes,
        }
    }
}
