//! Tiers: a rule limits a client, and with larger figures its network.

/// How many times the figures of a client its network has.
pub const NETWORK_FACTOR: u64 = 16;

/// Whose use of a rule is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// A single client.
    Client,
    /// All clients of one network that have the same multiplier, together.
    Network,
}

impl Tier {
    /// How many times the figures of a rule this tier has.
    pub(in crate::limit) fn factor(self) -> u64 {
        match self {
            Self::Client => 1,
            Self::Network => NETWORK_FACTOR,
        }
    }
}
