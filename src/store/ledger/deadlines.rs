//! The deadlines: the pastes that expire, by the second in which they are swept.
//!
//! Why seconds: a paste expires on the millisecond, but that is decided when it is read. The sweep only frees its
//! memory, up to a second later. So the tree has one entry for each second and not for each paste: it stays in the
//! processor's cache, and most changes only link a row.
//! Invariants: a list is never empty. Exactly the rows with a second are in a list.
//! Cost: a search among the seconds, and a change of at most three rows. A second is charged to each of its pastes.

use std::collections::BTreeMap;

use super::rows::{BY_DEADLINE, List, Rows};
use super::slab::NONE;
use crate::paste::{Deadline, Timestamp};
use crate::store::allocation::{tree_entry, tree_root};

/// The pastes that are swept in one second.
type Due = List<BY_DEADLINE>;

#[derive(Debug, Default)]
pub(super) struct Deadlines {
    seconds: BTreeMap<u32, Due>,
}

impl Deadlines {
    /// Maximum bytes of the entry of a paste.
    pub(super) const ENTRY: usize = tree_entry(size_of::<(u32, Due)>());

    /// Bytes of the root of the tree. It may be nearly empty, so it is charged on its own.
    pub(super) const ROOT: usize = tree_root(size_of::<(u32, Due)>());

    /// Returns the second in which a paste with this deadline is swept: the first that begins at the deadline or after
    /// it. Returns [`NONE`] if the paste never expires, or not before the year 2106.
    pub(super) fn second_of(deadline: Deadline) -> u32 {
        let second = |deadline: Timestamp| deadline.as_millis().div_ceil(1000);
        let second = deadline.timestamp().map(second);
        second.map_or(NONE, |second| u32::try_from(second).unwrap_or(NONE))
    }

    /// Adds a row to the list of its second, if it has one.
    pub(super) fn insert(&mut self, rows: &mut Rows, row: u32) {
        let second = rows[row].second;
        if second != NONE {
            let due = self.seconds.entry(second).or_insert(Due::EMPTY);
            due.push(rows, row);
        }
    }

    /// Removes a row from the list of its second, if it has one.
    pub(super) fn remove(&mut self, rows: &mut Rows, row: u32) {
        let second = rows[row].second;
        let Some(due) = self.seconds.get_mut(&second) else {
            return;
        };
        due.remove(rows, row);
        if due.is_empty() {
            self.seconds.remove(&second);
        }
    }

    /// Returns the start of the first second in which a paste is swept.
    pub(super) fn next(&self) -> Option<Timestamp> {
        let (second, _) = self.seconds.first_key_value()?;
        Some(Timestamp::from_millis(u64::from(*second) * 1000))
    }

    /// Returns a row that is due to be swept, of those whose second begins at `from` or later.
    pub(super) fn due_since(&self, from: Timestamp, now: Timestamp) -> Option<u32> {
        let second = |time: Timestamp| u32::try_from(time.as_millis() / 1000).unwrap_or(NONE);
        let (first, last) = (second(from), second(now));
        let mut due = self.seconds.range(first..=last.max(first));
        due.next()
            .filter(|(second, _)| **second <= last)
            .map(|(_, due)| due.first)
    }

    /// Returns the number of rows that are due to be swept.
    pub(super) fn due(&self, rows: &Rows, now: Timestamp) -> usize {
        let second = u32::try_from(now.as_millis() / 1000).unwrap_or(NONE);
        let due = self.seconds.range(..=second);
        due.map(|(_, due)| due.recount(rows).map_or(0, |listed| listed.len()))
            .sum()
    }

    /// Returns the number of rows, or `None` if a list is wrong.
    pub(super) fn recount(&self, rows: &Rows) -> Option<usize> {
        let lists = self.seconds.iter().map(|(second, due)| {
            let listed = due.recount(rows)?;
            let is_right = |row: &u32| rows[*row].second == *second;
            let is_whole = !listed.is_empty() && listed.iter().all(is_right);
            is_whole.then_some(listed.len())
        });
        lists.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::Expiry;

    #[test]
    fn a_paste_is_swept_in_the_first_second_that_begins_after_its_deadline() {
        let second = |start: u64, seconds| {
            let expiry = Expiry::from_seconds(seconds).unwrap_or(Expiry::Never);
            let start = Timestamp::from_millis(start);
            Deadlines::second_of(Deadline::after(start, expiry))
        };
        assert_eq!(
            [second(0, 10), second(1, 10), second(999, 10)],
            [10, 11, 11]
        );
        assert_eq!([second(0, u64::MAX), second(u64::MAX, 10)], [NONE, NONE]);
    }
}
