//! Fairness: how much each client and each network holds of a scarce resource, and who has to give some back.
//!
//! One rule holds everywhere: the heaviest network gives, and in it its heaviest client. The store applies it to bytes of
//! pastes, load shedding to bytes in progress.
//! What it must not know: addresses, pastes, sockets, time.

mod client_key;
mod fair_shares;

pub use client_key::ClientKey;
pub(crate) use fair_shares::{ExceededShare, FairShares};
