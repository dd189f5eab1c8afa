//! Tiers. Each rule limits a client, and with larger figures the network of the client.

/// The limits of a network are those of a client times this factor.
pub const NETWORK_FACTOR: u64 = 16;

/// Whether the use of a rule is counted for a client or for a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The use of a single client is counted.
    Client,
    /// The use of all clients of one network is counted together, if they have the same multiplier.
    Network,
}

impl Tier {
    /// Returns the factor by which this tier multiplies the figures of a rule.
    pub(in crate::limit) fn factor(self) -> u64 {
        match self {
            Self::Client => 1,
            Self::Network => NETWORK_FACTOR,
        }
    }
}
