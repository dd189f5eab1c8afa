//! Accounts: who a client is, and what it may do.
//!
//! A client is a [`Principal`]: anonymous, the holder of a [`Key`], a user whom the operator's proxy knows, or the
//! operator. The operator decides by [`InstanceAccess`] which rights everyone has.
//! Invariants: rights are a closed set. A key is stored as its hash alone, and compared in constant time. This module
//! does not know how a client shows itself, nor where the keys are stored.

mod key;
mod key_ring;
mod principal;
mod rights;

pub use key::{Key, KeyEnd, KeyGrant, KeyName, is_key, is_whole_key};
pub use key_ring::{KeyRing, KeyRingError};
pub use principal::{Principal, UserName};
pub use rights::{InstanceAccess, Right, Rights};
