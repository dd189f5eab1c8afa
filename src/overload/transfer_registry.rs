//! The transfer registry: all uploads and large responses in progress, and the resources that each uses.
//!
//! Invariants: no client and no network exceeds its share. A cancelled transfer no longer counts, and it cannot acquire
//! anything more.
//! Cost: each transfer takes a few tree operations. Its chunks take no lock.
//! Reason to count networks: one network with a thousand uploads must not displace the single upload of another
//! network.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::byte_budget::Priority;
use super::transfer_state::{Cancel, Demand, Progress, Resource, TransferState};
use crate::fairness::{ClientKey, FairShares};

/// Maximum number of transfers of one client at once, of any size.
pub(super) const MAX_TRANSFERS_PER_CLIENT: usize = 512;

/// Maximum number of paused uploads of one client at once.
pub const MAX_PAUSES_PER_CLIENT: u64 = 4;

/// The reason why a transfer was refused or may not continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaError {
    /// The client or its network has used up its share.
    OverShare,
    /// The transfer was cancelled to free resources for others.
    Cancelled,
}

/// All transfers in progress.
pub(super) struct TransferRegistry {
    /// The transfers by number, in the order in which they started. Cancelled transfers stay until they end.
    pub(super) transfers: BTreeMap<u64, TransferState>,
    /// The client and number of each transfer that was not cancelled.
    by_client: BTreeSet<(u64, u64)>,
    /// The bytes that each client has acquired or requested, over all priorities.
    pub(super) bytes: FairShares,
    /// The number of uploads of each client that have a slot or wait for one.
    pub(super) slots: FairShares,
    /// The number of uploads of each client that may pause.
    pub(super) pauses: FairShares,
    /// How much of each resource all transfers use or queue for, and how much there is. A cancelled transfer no longer
    /// counts, even if it has not released anything yet. So one shortage does not cancel a second transfer while the
    /// first is still ending.
    pub(super) demand: Demand,
    pub(super) capacity: Demand,
    last_number: u64,
    /// The number of transfers cancelled since the start of the process.
    pub(super) cancelled: u64,
    /// The bytes of transfers that have ended.
    bytes_moved: u64,
}

impl TransferRegistry {
    /// Creates an empty registry with this capacity: bytes under the ceiling of each priority, upload slots, and
    /// pauses.
    ///
    /// The share of a client is a quarter of all bytes, an eighth of the slots and [`MAX_PAUSES_PER_CLIENT`]. The share
    /// of a network is half of each resource.
    pub(super) fn new(ceilings: [u64; 3], slots: u64, pauses: u64) -> Self {
        let [renders, saves, bytes] = ceilings;
        Self {
            transfers: BTreeMap::new(),
            by_client: BTreeSet::new(),
            bytes: FairShares::new(bytes / 4, bytes / 2),
            slots: FairShares::new(slots / 8, slots / 2),
            pauses: FairShares::new(MAX_PAUSES_PER_CLIENT, pauses / 2),
            demand: Demand::default(),
            capacity: [renders, saves, bytes, slots, pauses],
            last_number: 0,
            cancelled: 0,
            bytes_moved: 0,
        }
    }

    /// Registers a transfer. Returns its number, and where it records its progress.
    ///
    /// # Errors
    /// Returns [`QuotaError::OverShare`] if the client or its network has too many transfers.
    pub(super) fn start(
        &mut self,
        now: Duration,
        client: ClientKey,
        priority: Priority,
        cancel: Cancel,
    ) -> Result<(u64, Arc<Progress>), QuotaError> {
        if self.of_client(client.client).count() >= MAX_TRANSFERS_PER_CLIENT {
            return Err(QuotaError::OverShare);
        }
        if priority == Priority::Save {
            within(&self.slots, client, 0, 1)?;
            self.slots.add(client, 1);
        }
        self.last_number += 1;
        let progress = Arc::<Progress>::default();
        progress.record(now, 0);
        let state = TransferState {
            client,
            priority,
            has_slot: false,
            may_pause: false,
            started: now,
            progress: Arc::clone(&progress),
            bytes_held: 0,
            bytes_requested: 0,
            queues: false,
            cancel: Some(cancel),
        };
        self.count(Demand::default(), state.demands());
        self.transfers.insert(self.last_number, state);
        self.by_client.insert((client.client, self.last_number));
        Ok((self.last_number, progress))
    }

    /// Counts bytes that the transfer waits for. They count towards the share from now on, so no client queues for more
    /// than its share.
    pub(super) fn request_bytes(&mut self, number: u64, bytes: u64) -> Result<(), QuotaError> {
        let state = self.active(number)?;
        let client = state.client;
        within(&self.bytes, client, state.bytes_total(), bytes)?;
        self.bytes.add(client, bytes);
        self.update(number, |state| state.bytes_requested += bytes)
    }

    /// Removes a transfer that has ended. Returns the callback that would cancel it, which the caller must drop without
    /// the lock. Returns `None` if the transfer was cancelled before.
    pub(super) fn end(&mut self, number: u64) -> Option<Cancel> {
        let cancel = self.stop_counting(number);
        let ended = self.transfers.remove(&number);
        let bytes = ended.map_or(0, |state| state.progress.bytes());
        self.bytes_moved = self.bytes_moved.wrapping_add(bytes);
        cancel
    }

    pub(super) fn get(&self, number: u64) -> Option<&TransferState> {
        self.transfers.get(&number)
    }

    /// Returns the transfers of a client that were not cancelled, by number.
    pub(super) fn of_client(&self, client: u64) -> impl Iterator<Item = (u64, &TransferState)> {
        let numbers = self.by_client.range((client, 0)..=(client, u64::MAX));
        numbers.filter_map(|(_, number)| Some((*number, self.transfers.get(number)?)))
    }

    /// Returns how much of the resource each client and network uses or waits for.
    pub(super) fn shares(&self, resource: Resource) -> &FairShares {
        match resource {
            Resource::Bytes(_) => &self.bytes,
            Resource::Slot => &self.slots,
            Resource::Pause => &self.pauses,
        }
    }

    /// Returns the number of bytes transferred since the start of the process.
    pub(super) fn bytes_moved(&self) -> u64 {
        let moving = self.transfers.values().map(|state| state.progress.bytes());
        moving.fold(self.bytes_moved, u64::wrapping_add)
    }

    /// Returns the transfer if it was not cancelled.
    pub(super) fn active(&self, number: u64) -> Result<&TransferState, QuotaError> {
        let state = self.transfers.get(&number);
        let state = state.filter(|state| state.cancel.is_some());
        state.ok_or(QuotaError::Cancelled)
    }

    /// Changes a transfer, unless it was cancelled.
    pub(super) fn update(
        &mut self,
        number: u64,
        change: impl FnOnce(&mut TransferState),
    ) -> Result<(), QuotaError> {
        let state = self.transfers.get_mut(&number);
        let state = state
            .filter(|state| state.cancel.is_some())
            .ok_or(QuotaError::Cancelled)?;
        let before = state.demands();
        change(state);
        let now = state.demands();
        self.count(before, now);
        Ok(())
    }

    /// Replaces the demand that a transfer had before by the one that it has now.
    fn count(&mut self, before: Demand, now: Demand) {
        for (sum, (before, now)) in self.demand.iter_mut().zip(before.into_iter().zip(now)) {
            *sum = *sum - before + now;
        }
    }

    pub(super) fn cancel(&mut self, number: u64) -> Option<Cancel> {
        self.cancelled += 1;
        self.stop_counting(number)
    }

    /// Subtracts the transfer from all sums. Returns the callback that cancels it, or `None` if it was cancelled
    /// before.
    fn stop_counting(&mut self, number: u64) -> Option<Cancel> {
        let state = self.transfers.get_mut(&number)?;
        let cancel = state.cancel.take()?;
        let client = state.client;
        let demands = state.demands();
        self.bytes.sub(client, state.bytes_total());
        if state.is_upload() {
            self.slots.sub(client, 1);
        }
        if state.may_pause {
            self.pauses.sub(client, 1);
        }
        self.by_client.remove(&(client.client, number));
        self.count(demands, Demand::default());
        Some(cancel)
    }
}

pub(super) fn within(
    shares: &FairShares,
    client: ClientKey,
    own: u64,
    more: u64,
) -> Result<(), QuotaError> {
    match shares.exceeded(client, own, more) {
        None => Ok(()),
        Some(_) => Err(QuotaError::OverShare),
    }
}
