//! Demand: what all transfers together hold of each thing or queue for, beside how much of it there is.
//!
//! What it must not know: whose it is.
//! Invariants: it is the sum of what each counted transfer demands; whoever was cut is counted
//! no more, though it may not have let go yet: so what was cut for one is not cut again for the next.
//! Cost: five sums.

use super::transfer::{Need, Transfer};

/// Sums, and what they are measured by.
#[derive(Debug)]
pub(super) struct Demand {
    /// Bytes under the ceiling of each class, in the order in which they are shed.
    ceilings: [u64; 3],
    most_places: u64,
    most_pauses: u64,
    /// Bytes of each class.
    bytes: [u64; 3],
    places: u64,
    pauses: u64,
}

impl Demand {
    /// None yet, of so many bytes under each ceiling, so many places and so many that may pause.
    pub(super) fn new(ceilings: [u64; 3], most_places: u64, most_pauses: u64) -> Self {
        Self {
            ceilings,
            most_places,
            most_pauses,
            bytes: [0; 3],
            places: 0,
            pauses: 0,
        }
    }

    /// Counts what this transfer demands.
    pub(super) fn add(&mut self, transfer: &Transfer) {
        self.bytes[transfer.class.index()] += transfer.demands_bytes();
        self.places += transfer.demands_places();
        self.pauses += transfer.demands_pauses();
    }

    /// Counts it no more.
    pub(super) fn sub(&mut self, transfer: &Transfer) {
        self.bytes[transfer.class.index()] -= transfer.demands_bytes();
        self.places -= transfer.demands_places();
        self.pauses -= transfer.demands_pauses();
    }

    /// How much there is too little of it, with so much more.
    pub(super) fn lacks(&self, need: Need, more: u64) -> u64 {
        let (demand, most) = match need {
            Need::Place => (self.places, self.most_places),
            Need::Patience => (self.pauses, self.most_pauses),
            Need::Bytes(ceiling) => {
                let under = &self.bytes[..=ceiling.index()];
                (under.iter().sum(), self.ceilings[ceiling.index()])
            }
        };
        (demand + more).saturating_sub(most)
    }
}
