//! Fairness: how much of a scarce resource each client and each network uses, and which client must release some of it.
//!
//! One rule holds everywhere: the heaviest client of the heaviest network must release something. The store applies
//! this rule to the bytes of stored pastes. Load shedding applies it to the bytes in progress, and [`FairList`] to
//! lists that many clients fill. Among equally heavy clients, the store and the lists choose the one whose oldest item
//! was unused for longest. This module must not know about addresses, pastes, sockets or time.

mod client_key;
mod fair_list;
mod fair_shares;

pub use client_key::ClientKey;
pub(crate) use fair_list::FairList;
pub(crate) use fair_shares::{ExceededShare, FairShares};
