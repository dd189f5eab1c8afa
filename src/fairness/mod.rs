//! Fairness: which client of which network holds how much of something that is short.
//!
//! One rule decides everywhere who makes room: the heaviest network, and in it its heaviest client. The store, the
//! shedding of load and the list of connections all apply it to their own weights: bytes of pastes, bytes in progress,
//! open connections.
//! What it must not know: addresses, pastes, sockets, time.

mod client_key;
mod fair_shares;

pub use client_key::ClientKey;
pub(crate) use fair_shares::{ExceededShare, FairShares};
