//! Totals: how much of each resource all transfers use or queue for, compared with the capacity.
//!
//! Invariant: each total is the sum of [`TransferState::demand`] over all transfers that were not cancelled. A
//! cancelled transfer no longer counts, even if it has not released anything yet. So one shortage does not cancel a
//! second transfer while the first is still ending.

use super::transfer_state::{Resource, TransferState};

/// The demand and the capacity of each resource, in the order of [`Resource::ALL`].
pub(super) struct Totals {
    capacity: [u64; Resource::ALL.len()],
    demand: [u64; Resource::ALL.len()],
}

impl Totals {
    /// Creates totals without demand. `ceilings` are the bytes under the ceiling of each priority.
    pub(super) fn new(ceilings: [u64; 3], slots: u64, pauses: u64) -> Self {
        let [renders, saves, reads] = ceilings;
        Self {
            capacity: [renders, saves, reads, slots, pauses],
            demand: [0; Resource::ALL.len()],
        }
    }

    pub(super) fn add(&mut self, transfer: &TransferState) {
        for resource in Resource::ALL {
            self.demand[resource.index()] += transfer.demand(resource);
        }
    }

    pub(super) fn sub(&mut self, transfer: &TransferState) {
        for resource in Resource::ALL {
            self.demand[resource.index()] -= transfer.demand(resource);
        }
    }

    /// Returns by how much the demand would exceed the capacity if it grew by `more`. Returns 0 if it would not.
    pub(super) fn shortage(&self, resource: Resource, more: u64) -> u64 {
        let index = resource.index();
        (self.demand[index] + more).saturating_sub(self.capacity[index])
    }
}
