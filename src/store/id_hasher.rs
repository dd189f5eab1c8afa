//! The hasher of the maps of pastes. Keys are random bits already, so they are their own hashes.
//!
//! A client can look up keys of its choice, but it cannot choose the keys that are stored. So it cannot cause
//! collisions.
//!
//! The table looks at a group of slots at once, from the slot that the last bits of the hash name. Without the bits
//! that count within a group, groups do not overlap. So a group is rarely full, and its neighbours do not extend it.
//! Only an entry removed from a full group leaves a deleted mark; see `Budget::table_entries`.

use std::hash::Hasher;

/// The number of slots at which the standard library's table looks at once.
const GROUP: u64 = if cfg!(target_feature = "sse2") { 16 } else { 8 };

/// Hashes an id by returning its bits without those that count within a group of slots.
#[derive(Debug, Default, Clone)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, bits: u64) {
        self.0 = bits & !(GROUP - 1);
    }

    /// The trait requires this method. The hash of an id never calls it.
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
}
