//! Limit requests. A limit request names the action that a client wants to do.

use crate::fairness::ClientKey;
use crate::limit::policy::{Action, Multiplier, Unit};

/// The client whose request is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The keyed hashes of the client and of its network. Their bits choose the entries directly, without further
    /// hashing.
    pub client: ClientKey,
    /// The multiplier that the operator gives this client.
    pub multiplier: Multiplier,
}

impl Subject {
    /// Returns the key of the entry of the network. Clients of one network with different multipliers use separate
    /// entries. Otherwise a client with a multiplier of one hundred could use up the limits of its neighbours.
    pub(in crate::limit) fn network_key(self) -> u64 {
        // The constant is odd, so two multipliers never produce the same key. It is large, so tags and sets differ too.
        let multiplier = u64::from(self.multiplier) - 1;
        self.client.network ^ multiplier.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// An action that a client wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRequest {
    pub(super) action: Action,
    pub(super) requests: u64,
    pub(super) bytes: u64,
}

impl LimitRequest {
    /// Creates one request of this action, without bytes.
    pub fn one(action: Action) -> Self {
        Self {
            action,
            requests: 1,
            bytes: 0,
        }
    }

    /// Creates a charge of further bytes for an admitted request, whose body has an unknown length.
    pub fn more_bytes(action: Action, bytes: u64) -> Self {
        Self {
            requests: 0,
            bytes,
            ..Self::one(action)
        }
    }

    /// Returns the same request with this many bytes.
    pub fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// Returns how much of this unit the request uses.
    pub(super) fn amount(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Requests => self.requests,
            Unit::Bytes => self.bytes,
        }
    }
}
