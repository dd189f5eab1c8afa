//! The rows of the ledger. Each paste has a row, which is linked to the other pastes of its client in the order of use.
//!
//! Invariants: every row in use is in the ring of exactly one [`Queue`]. It stores the number of that queue's account.
//! Cost: every operation writes at most four rows of 20 bytes, without a look-up or an allocation.
//! Why rings: the row after the newest one is the oldest. So a queue stores only the number of its newest row. If this
//! number moves on by one row, the oldest row becomes the newest.

use super::slab::Slab;
use crate::paste::PasteId;

/// The row of a paste.
#[derive(Debug)]
pub(super) struct Row {
    /// The row that was read before this one. For the oldest row, it is the newest row.
    older: u32,
    /// The row that was read after this one. For the newest row, it is the oldest row.
    newer: u32,
    account: u32,
    /// The bits of the id. An array of bytes needs no alignment, so the row has no padding.
    id: [u8; 8],
}

/// The rows of all clients.
pub(super) type Rows = Slab<Row>;

/// The pastes of one client, from the least to the most recently read. The rows are stored in the [`Rows`] passed to
/// each call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    newest: u32,
}

impl Row {
    /// Returns the number of the account that owns this paste.
    pub(super) fn account(&self) -> u32 {
        self.account
    }

    fn id(&self) -> PasteId {
        PasteId::from_random(self.id)
    }
}

impl Queue {
    /// A queue without rows.
    pub(super) const EMPTY: Self = Self { newest: u32::MAX };

    /// Returns the least recently read paste, or `None` if the queue is empty.
    pub(super) fn oldest(self, rows: &Rows) -> Option<PasteId> {
        let oldest = rows[self.newest()?].newer;
        Some(rows[oldest].id())
    }

    /// Adds a paste of this account as the newest and returns its row.
    pub(super) fn push(&mut self, rows: &mut Rows, account: u32, id: PasteId) -> u32 {
        let row = rows.insert(Row {
            older: u32::MAX,
            newer: u32::MAX,
            account,
            id: id.bits().to_be_bytes(),
        });
        self.attach(rows, row);
        row
    }

    /// Makes this row the newest.
    pub(super) fn refresh(&mut self, rows: &mut Rows, row: u32) {
        if row == self.newest {
            return;
        }
        if rows[self.newest].newer != row {
            detach(rows, row);
            self.attach(rows, row);
        }
        self.newest = row;
    }

    /// Removes this row.
    pub(super) fn remove(&mut self, rows: &mut Rows, row: u32) {
        let older = rows[row].older;
        detach(rows, row);
        if older == row {
            *self = Self::EMPTY;
        } else if row == self.newest {
            self.newest = older;
        }
        rows.remove(row);
    }

    /// Returns every row with its paste, oldest first. Returns `None` if the ring is broken or a row has another
    /// account.
    pub(super) fn recount(self, rows: &Rows, account: u32) -> Option<Vec<(u32, PasteId)>> {
        let mut found = Vec::new();
        let Some(newest) = self.newest() else {
            return Some(found);
        };
        let mut before = newest;
        loop {
            let number = rows[before].newer;
            let row = &rows[number];
            if row.older != before || row.account != account || found.len() >= rows.len() {
                return None;
            }
            found.push((number, row.id()));
            if number == newest {
                return Some(found);
            }
            before = number;
        }
    }

    fn newest(self) -> Option<u32> {
        (self.newest != Self::EMPTY.newest).then_some(self.newest)
    }

    /// Adds a row that is in no ring to this ring, as the newest.
    fn attach(&mut self, rows: &mut Rows, row: u32) {
        let (older, newer) = match self.newest() {
            Some(newest) => (newest, rows[newest].newer),
            None => (row, row),
        };
        (rows[row].older, rows[row].newer) = (older, newer);
        rows[older].newer = row;
        rows[newer].older = row;
        self.newest = row;
    }
}

fn detach(rows: &mut Rows, row: u32) {
    let Row { older, newer, .. } = rows[row];
    rows[older].newer = newer;
    rows[newer].older = older;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(key: u64) -> PasteId {
        PasteId::from_random(key.to_be_bytes())
    }

    #[test]
    fn a_row_takes_20_bytes_and_its_number_4() {
        assert_eq!(Rows::ENTRY, 24);
    }

    proptest! {
        #[test]
        fn each_queue_has_the_order_of_a_naive_list(steps in prop::collection::vec((0usize..3, 0u64..12, 0u8..3), 1..300)) {
            // Given three queues on the same rows
            let mut rows = Rows::reserved_for(36);
            let mut queues = [Queue::EMPTY, Queue::EMPTY, Queue::EMPTY];
            let mut twins: [Vec<(u32, PasteId)>; 3] = [vec![], vec![], vec![]];
            for (account, key, change) in steps {
                let (queue, twin, key) = (&mut queues[account], &mut twins[account], id(key));
                let number = u32::try_from(account).unwrap();
                // When pastes are inserted, read and removed
                match (twin.iter().position(|(_, known)| *known == key), change) {
                    (None, _) => {
                        let row = queue.push(&mut rows, number, key);
                        prop_assert_eq!(rows[row].account(), number);
                        twin.push((row, key));
                    }
                    (Some(place), 0) => queue.remove(&mut rows, twin.remove(place).0),
                    (Some(place), _) => {
                        let read = twin.remove(place);
                        queue.refresh(&mut rows, read.0);
                        twin.push(read);
                    }
                }
                // Then each queue has the same pastes in the same order as its list
                for (number, (queue, twin)) in (0..).zip(queues.iter().zip(&twins)) {
                    let counted = queue.recount(&rows, number);
                    prop_assert_eq!(counted.as_ref(), Some(twin));
                    prop_assert_eq!(queue.oldest(&rows), twin.first().map(|(_, id)| *id));
                }
                prop_assert_eq!(rows.len(), twins.iter().map(Vec::len).sum::<usize>());
            }
        }
    }
}
