//! The rows of the ledger. A row has all that the ledger knows of a paste, and the links of two lists.
//!
//! Invariants: every row in use is in the list of its account, and in the list of its second if it has one. A list
//! never has a row twice.
//! Cost: a row takes 44 bytes. An operation on a list writes at most the row, its two neighbours and the last row,
//! without a look-up or an allocation.

use std::iter::successors;

use super::slab::{NONE, Slab, Slot};
use crate::paste::PasteId;

/// The row of a paste.
pub(super) struct Row {
    /// The neighbours in the lists [`BY_USE`] and [`BY_DEADLINE`].
    links: [Links; 2],
    pub(super) account: u32,
    /// The second in which the paste is swept, or [`NONE`].
    pub(super) second: u32,
    /// The bytes that the paste is charged. A paste has at most 1 GiB.
    pub(super) cost: u32,
    /// The bits of the id. An array of bytes needs no alignment, so the row has no padding.
    id: [u8; 8],
    /// The number of the latest use.
    used: [u8; 8],
}

/// The rows before and after a row in a list, or [`NONE`].
#[derive(Debug, Clone, Copy)]
struct Links {
    before: u32,
    after: u32,
}

/// The lists of the pastes of one client, from the least to the most recently read.
pub(super) const BY_USE: usize = 0;

/// The lists of the pastes that are swept in the same second.
pub(super) const BY_DEADLINE: usize = 1;

/// The rows of all clients.
pub(super) type Rows = Slab<Row>;

/// A list of rows. The rows are stored in the [`Rows`] passed to each call.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<const LINKS: usize> {
    pub(super) first: u32,
    last: u32,
}

impl Row {
    /// Makes a row that is in no list yet.
    pub(super) fn new(id: PasteId, used: u64, account: u32, second: u32, cost: u32) -> Self {
        let links = Links {
            before: NONE,
            after: NONE,
        };
        Self {
            links: [links; 2],
            account,
            second,
            cost,
            id: id.bits().to_be_bytes(),
            used: used.to_ne_bytes(),
        }
    }

    /// Notes the latest use.
    pub(super) fn use_at(&mut self, used: u64) {
        self.used = used.to_ne_bytes();
    }

    /// Returns the rank of the paste among those to evict: the longer it was not used, the greater.
    pub(super) fn rank(&self) -> u64 {
        !u64::from_ne_bytes(self.used)
    }

    pub(super) fn id(&self) -> PasteId {
        PasteId::from_random(self.id)
    }
}

impl Slot for Row {
    fn next_vacant(&mut self) -> &mut u32 {
        &mut self.account
    }
}

impl<const LINKS: usize> List<LINKS> {
    /// A list without rows.
    pub(super) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };

    /// Adds a row that is in no such list as the last.
    pub(super) fn push(&mut self, rows: &mut Rows, row: u32) {
        let before = std::mem::replace(&mut self.last, row);
        rows[row].links[LINKS] = Links {
            before,
            after: NONE,
        };
        match before {
            NONE => self.first = row,
            _ => rows[before].links[LINKS].after = row,
        }
    }

    /// Removes a row of this list.
    pub(super) fn remove(&mut self, rows: &mut Rows, row: u32) {
        let Links { before, after } = rows[row].links[LINKS];
        match before {
            NONE => self.first = after,
            _ => rows[before].links[LINKS].after = after,
        }
        match after {
            NONE => self.last = before,
            _ => rows[after].links[LINKS].before = before,
        }
    }

    /// Makes a row of this list the last.
    pub(super) fn refresh(&mut self, rows: &mut Rows, row: u32) {
        if self.last != row {
            self.remove(rows, row);
            self.push(rows, row);
        }
    }

    /// Returns the rows, last to first.
    pub(super) fn latest_first(self, rows: &Rows) -> impl Iterator<Item = u32> {
        let row = |row| (row != NONE).then_some(row);
        successors(row(self.last), move |it| row(rows[*it].links[LINKS].before))
    }

    pub(super) fn is_empty(self) -> bool {
        self.first == NONE
    }

    /// Returns every row, first to last, or `None` if the links disagree.
    pub(super) fn recount(self, rows: &Rows) -> Option<Vec<u32>> {
        let (mut found, mut before, mut next) = (Vec::new(), NONE, self.first);
        while next != NONE {
            if rows[next].links[LINKS].before != before || found.len() >= rows.len() {
                return None;
            }
            found.push(next);
            (before, next) = (next, rows[next].links[LINKS].after);
        }
        (before == self.last).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_row_takes_44_bytes() {
        assert_eq!(size_of::<Row>(), 44);
    }

    proptest! {
        #[test]
        fn each_list_has_the_order_of_a_naive_list(steps in prop::collection::vec((0usize..3, 0u64..12, 0u8..3), 1..300)) {
            // Given three lists on the same rows
            let mut rows = Rows::reserved_for(36);
            let mut lists = [List::<BY_USE>::EMPTY; 3];
            let mut twins: [Vec<(u32, u64)>; 3] = [vec![], vec![], vec![]];
            for (account, key, change) in steps {
                let (list, twin) = (&mut lists[account], &mut twins[account]);
                // When pastes are inserted, read and removed
                match (twin.iter().position(|(_, known)| *known == key), change) {
                    (None, _) => {
                        let row = rows.insert(Row::new(PasteId::from_random(key.to_be_bytes()), 0, 0, NONE, 1));
                        list.push(&mut rows, row);
                        twin.push((row, key));
                    }
                    (Some(place), 0) => {
                        let (row, _) = twin.remove(place);
                        list.remove(&mut rows, row);
                        rows.remove(row);
                    }
                    (Some(place), _) => {
                        let read = twin.remove(place);
                        list.refresh(&mut rows, read.0);
                        twin.push(read);
                    }
                }
                // Then each list has the same pastes in the same order as its twin
                for (list, twin) in lists.iter().zip(&twins) {
                    let listed = list.recount(&rows).expect("the links agree");
                    let listed: Vec<_> = listed.into_iter().map(|row| (row, rows[row].id().bits())).collect();
                    prop_assert_eq!(&listed, twin);
                    prop_assert_eq!(list.is_empty(), twin.is_empty());
                }
                prop_assert_eq!(rows.len(), twins.iter().map(Vec::len).sum::<usize>());
            }
        }
    }
}
