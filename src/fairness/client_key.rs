//! The key of a client: two keyed hashes. The server stores nothing else of the client's address.

/// A client and the network that it belongs to. A client has the same key on every server that uses the same secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey {
    /// The hash of the client's network: an IPv4 /24 or an IPv6 /48.
    pub network: u64,
    /// The hash of the client itself: an IPv4 address or an IPv6 /64.
    pub client: u64,
}
