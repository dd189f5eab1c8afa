//! The store: where pastes are kept. This module is its only door; the tiers stand behind it.
//!
//! Today there is one tier, [`memory`]: a restart forgets its pastes.
//! What it must not know: HTTP, HTML, the clock (every call is passed `now`), where random bytes come from.

mod error;
mod memory;
mod removal;

pub use error::{ConsumeError, InsertError, NotFound, UpdateError};
pub use memory::{Budget, PAGES_FROM, Store, Sweeper, cost_of};
pub use removal::{Reason, RemovalCounts, RemovalHook};

use crate::paste::Paste;

/// A paste whose read was counted.
#[derive(Debug)]
pub struct Consumed {
    /// The paste, still encrypted if it is.
    pub paste: Paste,
    /// How often it may be read after this; `None` if reads are not limited.
    pub left: Option<u8>,
}

/// How full the store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Stored pastes, expired ones that were not swept yet included.
    pub pastes: usize,
    /// Bytes charged for them and for what is known about their clients.
    pub bytes: usize,
}
