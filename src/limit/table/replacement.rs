//! Replacement: which entry of a full set makes room for a newcomer.
//!
//! What it must not know: who the newcomer is, but for its network.
//! Invariants: an entry that is limited now never makes room; of the others the one that is soonest full does, the first
//! of equals; a quota counts as if it came back evenly, so that whoever used more of it is full later.
//! Cost: eight entries are read, and the windows of those that have some: as many slots as passed since they were used.
//! What is forgotten: whoever makes room begins anew when it comes back, with all its quotas. For a client that has used
//! most of a quota to make room, the other seven of its set must have used a larger part, or be limited. Sets cannot be
//! aimed at, so this takes a flooder about as many clients as the table has entries, all as far gone as that one, and a
//! sixteenth as many networks; and it frees that one once.

use super::{EntryHeader, Place, Table, WAYS, lowest, ways_of};
use crate::limit::bucket::Bucket;
use crate::limit::entry_layout::EntryLayout;

impl Table {
    /// A free entry, or that of whoever makes room, or a shared one.
    #[cold]
    pub(super) fn place_newcomer(
        &self,
        layout: &EntryLayout,
        now: u64,
        set: usize,
        network: u64,
    ) -> Place {
        let free = ways_of(self.tags_of(set), 0);
        if free != 0 {
            return Place::New(set * WAYS + lowest(free));
        }
        let mut soonest = None;
        for index in set * WAYS..(set + 1) * WAYS {
            match self.full_in(layout, index, now) {
                Some(0) => return Place::New(index),
                Some(full_in) => {
                    soonest = Some((full_in, index).min(soonest.unwrap_or((u64::MAX, 0))))
                }
                None => {}
            }
        }
        match soonest {
            Some((_, index)) => Place::New(index),
            // The upper bits: the lower ones choose the sets of networks.
            None => Place::Known(self.size() + usize::try_from(network >> 52).unwrap_or(0)),
        }
    }

    /// After how many nanoseconds the entry is full at the latest; none if it is limited now.
    fn full_in(&self, layout: &EntryLayout, index: usize, now: u64) -> Option<u64> {
        let entry = self.entry(Place::Known(index));
        let multiplier = EntryHeader::of(entry).multiplier;
        let mut full_in = 0;
        for rules in layout.all() {
            for placed in &rules.rates {
                let scaled = placed.scaled(self.tier, multiplier);
                let bucket = Bucket::in_entry(entry, placed.word);
                if bucket.is_empty(now, &scaled) {
                    return None;
                }
                full_in = full_in.max(bucket.full_in(now, &scaled));
            }
        }
        let windows = self.windows.get(index).and_then(Option::as_ref);
        for (window, quota) in windows.into_iter().flatten().zip(layout.quotas()) {
            let limit = quota.scaled_limit(self.tier, multiplier);
            full_in = full_in.max(window.full_in_unless_used_up(now, quota, limit)?);
        }
        Some(full_in)
    }
}
