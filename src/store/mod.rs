//! The store of all pastes. Other modules use only the items that this module exports.
//!
//! [`Store`] is the interface of all tiers. A restart loses the pastes of [`memory`], and none of
//! [`sqlite`] and [`valkey`].
//! The store does not know HTTP, HTML or the clock: the caller passes `now` to every call.
//! It does not know where random bytes come from either.

mod allocation;
mod entry;
mod error;
mod evicting;
mod id_hasher;
mod ledger;
mod listed;
pub mod memory;
mod moderation;
mod removal;
pub mod seal;
pub mod sqlite;
mod stats;
mod tier;
pub mod valkey;

pub use crate::paste::{Listed, Summary};
pub use allocation::PAGES_FROM;
pub use error::StoreError;
pub use ledger::Share;
pub use listed::{ListPage, Saver};
pub use moderation::{Block, ContentHash, ModerationChange, Note, Report};
pub use removal::{End, Reason, Receipt, RemovalCounts, RemovalHook};
pub use stats::{DiskStats, EngineStats, StoreStats, Tier, TierUsage, Unnamed};
pub use tier::Store;

use crate::paste::{Access, Paste, ReadsLeft, StoredPaste};

/// The result of [`Store::consume`]: a paste whose read was counted.
#[derive(Debug)]
pub struct Consumed {
    /// The paste. The content of a password-protected paste is still encrypted.
    pub paste: Paste,
    /// How often the paste may still be read after this read. `None` means that reads are not limited.
    pub left: Option<u8>,
}

impl Consumed {
    /// Returns the paste that the caller had seen, after a read that leaves this many.
    fn after_read(seen: &StoredPaste, left: Option<u8>) -> Self {
        let mut data = seen.data().clone();
        data.access = match (left.and_then(ReadsLeft::new), data.access) {
            (Some(left), Access::Burn(_)) => Access::Burn(left),
            (Some(left), Access::Locked(_)) => Access::Locked(Some(left)),
            (_, access) => access,
        };
        let reads = seen.reads().saturating_add(1);
        Self {
            paste: data.with_reads(reads).into_paste(),
            left,
        }
    }
}

/// How full the store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Occupancy {
    /// The number of stored pastes. It includes expired pastes that the sweeper has not removed yet.
    pub pastes: usize,
    /// The bytes charged for the pastes and for the records of their clients.
    pub bytes: usize,
}
