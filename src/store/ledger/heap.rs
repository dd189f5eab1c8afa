//! A heap of entries of a slab, the greatest on top: a leftist tree (Crane 1972; Knuth, TAOCP 3, 5.2.3) whose links lie
//! in the entries themselves.
//!
//! What it must not know: what makes an entry great; the entry says.
//! Invariants: no entry is greater than the one above it; the rank of an entry (the length of its right-most way down)
//! is one more than that of its right child, which is at most that of its left child.
//! Cost: every operation is O(log n) comparisons in the worst case, and most moves find nothing to do.
//! Why not an array: there is a heap in every network, and they are as many and as large as clients please. An array
//! of each would have to grow and be copied, or all of them reserved for the worst; links take 16 bytes an entry
//! however the entries are spread.

use std::ops::IndexMut;

use super::slab::NONE;

/// The place of an entry in its heap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Knot {
    parent: u32,
    left: u32,
    right: u32,
    /// Entries on the right-most way down, this one included.
    rank: u32,
}

impl Knot {
    /// Alone, as before it enters a heap.
    pub(super) const LOOSE: Self = Self {
        parent: NONE,
        left: NONE,
        right: NONE,
        rank: 1,
    };

    /// A word that is free while the entry is vacant.
    pub(super) fn chain(&mut self) -> &mut u32 {
        &mut self.left
    }
}

/// An entry that can stand in a heap.
pub(super) trait Heaped {
    /// Its place.
    fn knot(&self) -> &Knot;
    /// Its place, to be changed by the heap only.
    fn knot_mut(&mut self) -> &mut Knot;
    /// What the heap is ordered by; no two entries of a heap are equal, so the top does not depend on its history.
    fn greatness(&self) -> (usize, u64);
}

/// A heap; its entries lie elsewhere and are passed to each call.
#[derive(Debug)]
pub(super) struct Heap {
    top: u32,
}

impl Heap {
    /// No entries.
    pub(super) const EMPTY: Self = Self { top: NONE };

    /// The greatest entry, if there is any.
    pub(super) fn top(&self) -> Option<u32> {
        (self.top != NONE).then_some(self.top)
    }

    /// Takes in an entry that is in no heap.
    pub(super) fn insert<T: Heaped>(&mut self, all: &mut impl IndexMut<u32, Output = T>, at: u32) {
        *all[at].knot_mut() = Knot::LOOSE;
        self.top = merge(all, self.top, at);
        all[self.top].knot_mut().parent = NONE;
    }

    /// Lets go of an entry that is in this heap.
    pub(super) fn remove<T: Heaped>(&mut self, all: &mut impl IndexMut<u32, Output = T>, at: u32) {
        let Knot {
            parent,
            left,
            right,
            ..
        } = *all[at].knot();
        let below = merge(all, left, right);
        if below != NONE {
            all[below].knot_mut().parent = parent;
        }
        if parent == NONE {
            self.top = below;
            return;
        }
        let above = all[parent].knot_mut();
        if above.left == at {
            above.left = below;
        } else {
            above.right = below;
        }
        settle_upwards(all, parent);
    }

    /// Finds the place of an entry of this heap whose greatness has changed.
    pub(super) fn reorder<T: Heaped>(&mut self, all: &mut impl IndexMut<u32, Output = T>, at: u32) {
        let greatness = all[at].greatness();
        let Knot {
            parent,
            left,
            right,
            ..
        } = *all[at].knot();
        let is_below = parent == NONE || all[parent].greatness() >= greatness;
        let is_above = |child: u32| child == NONE || greatness >= all[child].greatness();
        if is_below && is_above(left) && is_above(right) {
            return;
        }
        self.remove(all, at);
        self.insert(all, at);
    }

    /// Every entry, each checked against those next to it; none if one is out of place.
    pub(super) fn recount<T: Heaped>(
        &self,
        all: &impl IndexMut<u32, Output = T>,
    ) -> Option<Vec<u32>> {
        let mut entries = Vec::new();
        let mut open: Vec<(u32, u32)> = self.top().map(|top| (NONE, top)).into_iter().collect();
        while let Some((parent, at)) = open.pop() {
            let knot = all[at].knot();
            let is_whole = knot.parent == parent
                && (parent == NONE || all[parent].greatness() > all[at].greatness())
                && rank(all, knot.left) >= rank(all, knot.right)
                && knot.rank == rank(all, knot.right) + 1;
            if !is_whole {
                return None;
            }
            entries.push(at);
            let children = [knot.left, knot.right].into_iter();
            open.extend(
                children
                    .filter(|child| *child != NONE)
                    .map(|child| (at, child)),
            );
        }
        Some(entries)
    }
}

/// The heap of both; its depth of recursion is the sum of their ranks, at most twice the logarithm of their entries.
fn merge<T: Heaped>(all: &mut impl IndexMut<u32, Output = T>, a: u32, b: u32) -> u32 {
    if a == NONE || b == NONE {
        // The other one, for none is the largest number.
        return a.min(b);
    }
    let (top, other) = if all[a].greatness() >= all[b].greatness() {
        (a, b)
    } else {
        (b, a)
    };
    let right = all[top].knot().right;
    let right = merge(all, right, other);
    all[right].knot_mut().parent = top;
    all[top].knot_mut().right = right;
    settle(all, top);
    top
}

/// Makes the child of lesser rank the right one, and sets the rank; says whether that changed it.
fn settle<T: Heaped>(all: &mut impl IndexMut<u32, Output = T>, at: u32) -> bool {
    let Knot { left, right, .. } = *all[at].knot();
    let (left_rank, right_rank) = (rank(all, left), rank(all, right));
    let knot = all[at].knot_mut();
    if left_rank < right_rank {
        (knot.left, knot.right) = (right, left);
    }
    let rank = left_rank.min(right_rank) + 1;
    std::mem::replace(&mut knot.rank, rank) != rank
}

/// Ranks grow on the way up, so after as many steps as the logarithm of the entries one does not change.
fn settle_upwards<T: Heaped>(all: &mut impl IndexMut<u32, Output = T>, mut at: u32) {
    while at != NONE && settle(all, at) {
        at = all[at].knot().parent;
    }
}

fn rank<T: Heaped>(all: &impl IndexMut<u32, Output = T>, at: u32) -> u32 {
    if at == NONE { 0 } else { all[at].knot().rank }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Entry {
        key: u64,
        knot: Knot,
    }

    impl Heaped for Entry {
        fn knot(&self) -> &Knot {
            &self.knot
        }

        fn knot_mut(&mut self) -> &mut Knot {
            &mut self.knot
        }

        fn greatness(&self) -> (usize, u64) {
            (usize::try_from(self.key / 8).unwrap(), self.key % 8)
        }
    }

    struct Entries(Vec<Entry>);

    impl std::ops::Index<u32> for Entries {
        type Output = Entry;

        fn index(&self, at: u32) -> &Entry {
            &self.0[at as usize]
        }
    }

    impl IndexMut<u32> for Entries {
        fn index_mut(&mut self, at: u32) -> &mut Entry {
            &mut self.0[at as usize]
        }
    }

    proptest! {
        #[test]
        fn the_top_is_the_greatest_of_a_naive_list(steps in prop::collection::vec((0u32..64, 0u64..2), 1..400)) {
            // Given a heap of none of 64 entries, and the list of those that are in it
            let mut all = Entries((0..64).map(|key| Entry { key, knot: Knot::LOOSE }).collect());
            let mut heap = Heap::EMPTY;
            let mut twin: Vec<u32> = Vec::new();
            for (nth, (at, change)) in steps.into_iter().enumerate() {
                // When entries come, change and go
                match (twin.iter().position(|entry| *entry == at), change) {
                    (None, _) => {
                        heap.insert(&mut all, at);
                        twin.push(at);
                    }
                    (Some(place), 0) => {
                        heap.remove(&mut all, at);
                        twin.remove(place);
                    }
                    (Some(_), _) => {
                        // No two are ever equal: the lower part of the key is the entry's own.
                        all[at].key = (nth as u64 * 0x9e37_79b9) % 1000 * 64 + u64::from(at);
                        heap.reorder(&mut all, at);
                    }
                }
                // Then it holds what the list does, whole, with the greatest on top
                let mut held = heap.recount(&all).expect("in order");
                held.sort_unstable();
                twin.sort_unstable();
                prop_assert_eq!(&held, &twin);
                let greatest = twin.iter().copied().max_by_key(|entry| all[*entry].greatness());
                prop_assert_eq!(heap.top(), greatest);
            }
        }
    }
}
