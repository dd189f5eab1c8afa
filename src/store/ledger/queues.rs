//! Queues: the pastes of each holder, from the least to the most recently read.
//!
//! What it must not know: the pastes, but for their ids; how much they weigh.
//! Invariants: every slot that is taken is in the ring of exactly one queue, and names its holder.
//! Cost: every operation writes at most four links of twelve bytes, no look-up, no allocation.
//! Why rings: from the newest one step on is the oldest, so a holder needs one number for both ends, and the oldest is
//! made the newest by moving that number.

use super::slab::{Chained, NONE, Slab};
use crate::paste::PasteId;

/// A paste's place.
#[derive(Debug)]
struct Link {
    /// The one read before it; of the oldest, the newest.
    older: u32,
    /// The one read after it; of the newest, the oldest.
    newer: u32,
    holder: u32,
}

impl Chained for Link {
    fn chain(&mut self) -> &mut u32 {
        &mut self.newer
    }
}

/// One holder's queue; its links lie in the [`Queues`] that are passed to each call.
#[derive(Debug)]
pub(super) struct Queue {
    newest: u32,
}

/// The links of all queues.
#[derive(Debug)]
pub(super) struct Queues {
    links: Slab<Link>,
    /// Beside the links and not in them: reads move links without asking whose they are.
    ids: Vec<PasteId>,
}

impl Queues {
    /// Bytes of a slot.
    pub(super) const SLOT: usize = size_of::<Link>() + size_of::<PasteId>();

    /// Room for this many pastes.
    pub(super) fn reserved_for(pastes: usize) -> Self {
        Self {
            links: Slab::reserved_for(pastes),
            ids: Vec::with_capacity(pastes),
        }
    }

    /// The holder whose paste is in this slot.
    pub(super) fn holder(&self, slot: u32) -> u32 {
        self.links[slot].holder
    }

    /// Slots that are taken.
    pub(super) fn taken(&self) -> usize {
        self.links.taken()
    }

    /// Slots that were ever taken.
    pub(super) fn touched(&self) -> usize {
        self.links.touched()
    }
}

impl Queue {
    /// No pastes.
    pub(super) const EMPTY: Self = Self { newest: NONE };

    pub(super) fn is_empty(&self) -> bool {
        self.newest == NONE
    }

    /// The paste that was not read for longest, if there is any.
    pub(super) fn oldest(&self, all: &Queues) -> Option<PasteId> {
        let oldest = all.links[self.newest_slot()?].newer;
        Some(all.ids[oldest as usize])
    }

    /// Adds a paste of this holder as the newest, and says in which slot.
    pub(super) fn push(&mut self, all: &mut Queues, holder: u32, id: PasteId) -> u32 {
        let slot = all.links.insert(Link {
            older: NONE,
            newer: NONE,
            holder,
        });
        match all.ids.get_mut(slot as usize) {
            Some(place) => *place = id,
            None => all.ids.push(id),
        }
        self.attach(all, slot);
        slot
    }

    /// Makes the paste in this slot the newest.
    pub(super) fn refresh(&mut self, all: &mut Queues, slot: u32) {
        if slot == self.newest {
            return;
        }
        if all.links[self.newest].newer != slot {
            detach(all, slot);
            self.attach(all, slot);
        }
        self.newest = slot;
    }

    /// Takes the paste out of this slot, and vacates it.
    pub(super) fn remove(&mut self, all: &mut Queues, slot: u32) {
        let older = all.links[slot].older;
        detach(all, slot);
        if slot == self.newest {
            self.newest = if older == slot { NONE } else { older };
        }
        all.links.remove(slot);
    }

    /// Every slot with its paste, from the oldest; none if the ring is broken or a slot names another holder.
    pub(super) fn recount(&self, all: &Queues, holder: u32) -> Option<Vec<(u32, PasteId)>> {
        let mut found = Vec::new();
        let Some(newest) = self.newest_slot() else {
            return Some(found);
        };
        let mut before = newest;
        loop {
            let slot = all.links[before].newer;
            let link = &all.links[slot];
            if link.older != before || link.holder != holder || found.len() >= all.taken() {
                return None;
            }
            found.push((slot, all.ids[slot as usize]));
            if slot == newest {
                return Some(found);
            }
            before = slot;
        }
    }

    fn newest_slot(&self) -> Option<u32> {
        (!self.is_empty()).then_some(self.newest)
    }

    /// Puts a slot that is in no ring after the newest.
    fn attach(&mut self, all: &mut Queues, slot: u32) {
        let (older, newer) = match self.newest_slot() {
            Some(newest) => (newest, all.links[newest].newer),
            None => (slot, slot),
        };
        let link = &mut all.links[slot];
        (link.older, link.newer) = (older, newer);
        all.links[older].newer = slot;
        all.links[newer].older = slot;
        self.newest = slot;
    }
}

fn detach(all: &mut Queues, slot: u32) {
    let Link { older, newer, .. } = all.links[slot];
    all.links[older].newer = newer;
    all.links[newer].older = older;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(key: u64) -> PasteId {
        PasteId::from_random(key.to_be_bytes())
    }

    proptest! {
        #[test]
        fn each_queue_has_the_order_of_a_naive_list(steps in prop::collection::vec((0usize..3, 0u64..12, 0u8..3), 1..300)) {
            // Given three queues on the same links
            let mut all = Queues::reserved_for(36);
            let mut queues = [Queue::EMPTY, Queue::EMPTY, Queue::EMPTY];
            let mut twins: [Vec<(u32, PasteId)>; 3] = [vec![], vec![], vec![]];
            for (holder, key, change) in steps {
                let (queue, twin, key) = (&mut queues[holder], &mut twins[holder], id(key));
                let number = u32::try_from(holder).unwrap();
                // When pastes are saved, read and go
                match (twin.iter().position(|(_, known)| *known == key), change) {
                    (None, _) => {
                        let slot = queue.push(&mut all, number, key);
                        prop_assert_eq!(all.holder(slot), number);
                        twin.push((slot, key));
                    }
                    (Some(place), 0) => queue.remove(&mut all, twin.remove(place).0),
                    (Some(place), _) => {
                        let read = twin.remove(place);
                        queue.refresh(&mut all, read.0);
                        twin.push(read);
                    }
                }
                // Then each is as long as its list and in the same order
                for (number, (queue, twin)) in (0..).zip(queues.iter().zip(&twins)) {
                    let counted = queue.recount(&all, number);
                    prop_assert_eq!(counted.as_ref(), Some(twin));
                    prop_assert_eq!(queue.oldest(&all), twin.first().map(|(_, id)| *id));
                    prop_assert_eq!(queue.is_empty(), twin.is_empty());
                }
                prop_assert_eq!(all.taken(), twins.iter().map(Vec::len).sum::<usize>());
            }
        }
    }
}
