//! The reads of open pastes that the engine does not know yet. They are reported every second.
//!
//! Invariants: a read is reported once, or lost: with the node, or with a report whose answer is missing. The reads
//! of at most [`MOST`] pastes wait; reads of further pastes are not counted.
//! Cost: a read takes the lock once and adds to one number.

use std::collections::BTreeMap;
use std::ops::{RangeBounds, RangeInclusive};

use parking_lot::Mutex;

use crate::paste::Timestamp;
use crate::store::seal::RowKey;

/// The most pastes whose reads wait.
const MOST: usize = 65_536;

const HOUR_MILLIS: u64 = 3_600_000;

/// A paste, and an hour since 1970.
pub(super) type Place = (RowKey, u64);

/// The reads that wait, by paste and hour.
#[derive(Debug, Default)]
pub(super) struct PendingReads(Mutex<BTreeMap<Place, u32>>);

impl PendingReads {
    /// Adds reads of a paste, or none. Returns how many of the paste wait, with these.
    pub(super) fn add(&self, now: Timestamp, key: RowKey, reads: u32) -> u32 {
        let mut pending = self.0.lock();
        let place = (key, now.as_millis() / HOUR_MILLIS);
        if reads > 0 && (pending.len() < MOST || pending.contains_key(&place)) {
            let waiting = pending.entry(place).or_default();
            *waiting = waiting.saturating_add(reads);
        }
        let of_paste = pending.range(of(key));
        of_paste.fold(0, |sum, (_, reads)| sum.saturating_add(*reads))
    }

    /// Takes the reads that wait in a range of pastes and hours.
    pub(super) fn take(&self, places: impl RangeBounds<Place>) -> Vec<(Place, u32)> {
        let mut pending = self.0.lock();
        pending.extract_if(places, |_, _| true).collect()
    }
}

/// Returns the range of a paste.
pub(super) fn of(key: RowKey) -> RangeInclusive<Place> {
    (key, 0)..=(key, u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_wait_by_paste_and_hour_until_they_are_taken() {
        let (pending, key) = (PendingReads::default(), RowKey(1));
        let at = |hour| Timestamp::from_millis(hour * HOUR_MILLIS);
        assert_eq!(
            [0, 0, 1].map(|hour| pending.add(at(hour), key, 1)),
            [1, 2, 3]
        );
        assert_eq!(pending.add(at(2), key, 0), 3);
        pending.add(at(0), RowKey(2), 1);
        assert_eq!(pending.take(of(key)).len(), 2);
        assert_eq!(pending.take(..).len(), 1);
        assert_eq!(pending.add(at(0), key, 1), 1);
    }

    #[test]
    fn the_reads_of_more_pastes_than_allowed_are_not_kept() {
        let pending = PendingReads::default();
        for key in 0..=MOST as u64 {
            pending.add(Timestamp::default(), RowKey(key), 1);
        }
        assert_eq!(pending.take(..).len(), MOST);
    }
}
