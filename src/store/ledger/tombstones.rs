//! Tombstones record why the most recently removed pastes were removed.
//!
//! Invariants: the memory of all tombstones is allocated at the start. A tombstone is overwritten by the eighth younger
//! one in its bucket.
//! Cost: each operation reads one cache line of keys. It neither hashes nor allocates.
//! Why buckets of eight and not one ring with an index: ids are random, so their bits choose a bucket evenly. Each
//! bucket is a small ring, which keeps its newest eight tombstones. A single ring would keep exactly the newest
//! tombstones, but would need an index beside it.

use crate::paste::PasteId;
use crate::store::{End, Reason, Receipt};

/// Tombstones in a bucket.
const WAYS: usize = 8;

/// Maximum number of tombstones in all buckets.
const MOST: usize = 65_536;

#[derive(Debug, Clone, Copy)]
struct Bucket {
    ids: [u64; WAYS],
    /// The reason of each tombstone. `None` means that the place was never used.
    reasons: [Option<Reason>; WAYS],
    receipts: [Receipt; WAYS],
    /// The number of tombstones ever written to this bucket, which may wrap around. Modulo [`WAYS`], it is the place to
    /// write next.
    next: u8,
}

/// A fixed number of tombstones.
pub(in crate::store) struct Tombstones {
    /// The buckets. Their number is a power of two.
    buckets: Box<[Bucket]>,
}

impl Tombstones {
    /// Makes as many tombstones as fit into these bytes: at most [`MOST`], and at least one bucket.
    pub(super) fn within(bytes: usize) -> Self {
        const EMPTY: Bucket = Bucket {
            ids: [0; WAYS],
            reasons: [None; WAYS],
            receipts: [Receipt([0; 3]); WAYS],
            next: 0,
        };
        let fitting = (bytes / size_of::<Bucket>()).clamp(1, MOST / WAYS);
        let count = 1 << fitting.ilog2();
        Self {
            buckets: vec![EMPTY; count].into(),
        }
    }

    /// Returns the bytes of all tombstones.
    pub(in crate::store) fn bytes(&self) -> usize {
        size_of_val(&*self.buckets)
    }

    /// Remembers why this paste was removed. An earlier tombstone of the same id is forgotten.
    pub(in crate::store) fn insert(&mut self, id: PasteId, end: End) {
        self.forget(id);
        let at = self.bucket_of(id);
        let bucket = &mut self.buckets[at];
        let place = usize::from(bucket.next) % WAYS;
        bucket.ids[place] = id.bits();
        bucket.reasons[place] = Some(end.reason);
        bucket.receipts[place] = end.receipt;
        bucket.next = bucket.next.wrapping_add(1);
    }

    /// Returns why this paste was removed, or `None` if it has no tombstone.
    pub(in crate::store) fn find(&self, id: PasteId) -> Option<Reason> {
        self.entry(id).map(|end| end.reason)
    }

    /// Returns the receipt of this paste.
    pub(in crate::store) fn receipt(&self, id: PasteId) -> Receipt {
        self.entry(id).map_or(Receipt::default(), |end| end.receipt)
    }

    fn entry(&self, id: PasteId) -> Option<End> {
        let bucket = &self.buckets[self.bucket_of(id)];
        let mut places = (0..WAYS).filter(|place| bucket.ids[*place] == id.bits());
        places.find_map(|place| {
            let (reason, receipt) = (bucket.reasons[place]?, bucket.receipts[place]);
            Some(End { reason, receipt })
        })
    }

    /// Forgets why this paste was removed: because that did not happen, or because the id is used again.
    pub(in crate::store) fn forget(&mut self, id: PasteId) {
        let at = self.bucket_of(id);
        let bucket = &mut self.buckets[at];
        let known = bucket.ids.iter().zip(&mut bucket.reasons);
        known
            .filter(|(known, _)| **known == id.bits())
            .for_each(|(_, reason)| *reason = None);
    }

    /// Returns the number of tombstones that fit.
    pub(in crate::store) fn most(&self) -> usize {
        self.buckets.len() * WAYS
    }

    fn bucket_of(&self, id: PasteId) -> usize {
        // The bucket is chosen by the middle bits of the id, since the hash table uses the bits at its ends.
        let bits = usize::try_from((id.bits() >> 20) & u64::from(u32::MAX)).unwrap_or(0);
        bits & (self.buckets.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(bits: u64) -> PasteId {
        PasteId::from_random(bits.to_be_bytes())
    }

    #[test]
    fn sixty_five_thousand_fit_and_no_more_whatever_the_budget() {
        let tombstones = Tombstones::within(usize::MAX);
        assert_eq!(tombstones.buckets.len() * WAYS, 65_536);
        assert_eq!(tombstones.bytes(), 8192 * 272);
    }

    #[test]
    fn the_memory_stays_within_the_given_bytes() {
        for bytes in [272, 273, 1000, 1 << 16] {
            assert!(Tombstones::within(bytes).bytes() <= bytes, "{bytes}");
        }
    }

    #[test]
    fn the_newest_eight_of_a_bucket_are_known_and_the_ninth_is_forgotten() {
        let mut tombstones = Tombstones::within(272);
        for bits in 0..9 {
            tombstones.insert(id(bits), Reason::Burned.into());
        }
        assert_eq!(tombstones.find(id(0)), None);
        for bits in 1..9 {
            assert_eq!(tombstones.find(id(bits)), Some(Reason::Burned), "{bits}");
        }
    }

    #[test]
    fn an_id_that_is_removed_again_has_its_latest_reason() {
        let mut tombstones = Tombstones::within(272);
        tombstones.insert(id(1), Reason::Burned.into());
        tombstones.insert(id(1), Reason::Deleted.into());
        assert_eq!(tombstones.find(id(1)), Some(Reason::Deleted));
        tombstones.forget(id(1));
        assert_eq!(tombstones.find(id(1)), None);
    }

    #[test]
    fn an_id_of_all_zeros_is_not_found_where_there_is_no_tombstone() {
        assert_eq!(Tombstones::within(272).find(id(0)), None);
    }
}
