//! Networks. This module handles IP addresses, the clients and networks behind them, and the operator's policies for
//! networks.

mod canonical_ip;
mod client_key_hasher;
mod list;
mod network_policies;
mod prefix;
mod trusted_proxies;

pub use canonical_ip::CanonicalIp;
pub use client_key_hasher::ClientKeyHasher;
pub use list::{ListErrorKind, ListParseError};
pub use network_policies::{NetworkPolicies, NetworkPolicy};
pub use prefix::PrefixError;
pub use trusted_proxies::TrustedProxies;
