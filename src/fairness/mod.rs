//! Fairness: how much of a scarce resource each client and each network uses, and which client must release some of it.
//!
//! One rule holds everywhere: the heaviest client of the heaviest network must release something. The store applies
//! this rule to the bytes of stored pastes. Load shedding applies it to the bytes in progress, and [`FairList`] to
//! lists that many clients fill. Among equally heavy clients, the store and the lists choose the one whose oldest item
//! was unused for longest. This module must not know about addresses, pastes, sockets or time.

mod fair_list;
mod fair_shares;

pub(crate) use fair_list::FairList;
pub(crate) use fair_shares::{ExceededShare, FairShares};

/// A client and the network that it belongs to, as two keyed hashes. The server stores nothing else of an address. An
/// account, which the operator knows by a name, is a client and a network of its own.
///
/// A client has the same key on every server that uses the same secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ClientKey {
    /// The hash of the client's network: an IPv4 /24, an IPv6 /48 or an account.
    pub network: u64,
    /// The hash of the client itself: an IPv4 address, an IPv6 /64 or an account.
    pub client: u64,
}
