//! The key of a client: two keyed hashes, which are all that remains of an address.

/// A client and the network that it belongs to. Equal for the same client as long as the process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientKey {
    /// The network: an IPv4 /24 or an IPv6 /48.
    pub network: u64,
    /// The client itself: an IPv4 address or an IPv6 /64.
    pub client: u64,
}
