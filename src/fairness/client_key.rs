//! The key of a client: two keyed hashes, which are all that remains of an address.

/// A client and the network that it belongs to. The same client has the same key wherever the secret is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey {
    /// The hash of the network: an IPv4 /24 or an IPv6 /48.
    pub network: u64,
    /// The hash of the client itself: an IPv4 address or an IPv6 /64.
    pub client: u64,
}
