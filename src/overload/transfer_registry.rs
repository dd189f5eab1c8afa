//! The transfer registry: all uploads and large responses in progress, and which is cancelled when something is short.
//!
//! Invariants: the heaviest network and client make room ([`VictimSelector`]). No client and no network exceeds its
//! share. No transfer is cancelled while there is enough for all that hold or queue, and never more than the shortage
//! needs. A cancelled transfer no longer counts, is not chosen twice, and gets nothing more.
//! Cost: a few tree operations per transfer; a selection is bounded.
//! Why networks count: a thousand uploads of one flooder do not push out the single upload of another network.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::byte_budget::Priority;
use super::totals::Totals;
use super::transfer_state::{Cancel, Resource, TransferState};
use super::victim_selector::{Scope, VictimSelector};
use crate::fairness::{ClientKey, ExceededShare, FairShares};

/// Transfers of one client at once, whatever they hold.
pub(super) const MAX_TRANSFERS_PER_CLIENT: usize = 512;

/// Paused uploads of one client at once.
pub const MAX_PAUSES_PER_CLIENT: u64 = 4;

/// Why a transfer does not get what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaError {
    /// Its client or network has its share.
    OverShare,
    /// It was cancelled to make room for others.
    Cancelled,
}

/// The outcome of making room for a transfer.
#[derive(Default)]
pub(super) struct Preemption {
    /// Callbacks of the cancelled transfers, to be called without the lock.
    pub(super) cancels: Vec<Cancel>,
    /// Whether the transfer in need may queue.
    pub(super) may_queue: bool,
}

/// All transfers in progress.
pub(super) struct TransferRegistry {
    /// By number, in the order of their start; cancelled ones stay until they end.
    transfers: BTreeMap<u64, TransferState>,
    /// The client and number of each transfer that was not cancelled.
    by_client: BTreeSet<(u64, u64)>,
    /// Bytes held or requested, of any priority.
    bytes: FairShares,
    /// Uploads that have or wait for a slot.
    slots: FairShares,
    /// Uploads that may pause.
    pauses: FairShares,
    totals: Totals,
    last_number: u64,
    cancelled: u64,
    bytes_moved: u64,
}

impl TransferRegistry {
    /// An empty registry for this capacity: bytes under the ceiling of each priority, upload slots, and pauses.
    ///
    /// A client gets a quarter of all bytes, an eighth of the slots and [`MAX_PAUSES_PER_CLIENT`]; a network gets half
    /// of each.
    pub(super) fn new(ceilings: [u64; 3], slots: u64, pauses: u64) -> Self {
        let [.., bytes] = ceilings;
        Self {
            transfers: BTreeMap::new(),
            by_client: BTreeSet::new(),
            bytes: FairShares::new(bytes / 4, bytes / 2),
            slots: FairShares::new(slots / 8, slots / 2),
            pauses: FairShares::new(MAX_PAUSES_PER_CLIENT, pauses / 2),
            totals: Totals::new(ceilings, slots, pauses),
            last_number: 0,
            cancelled: 0,
            bytes_moved: 0,
        }
    }

    /// Registers a transfer and returns its number.
    ///
    /// # Errors
    /// If the client or its network has too many.
    pub(super) fn start(
        &mut self,
        now: Duration,
        client: ClientKey,
        priority: Priority,
        cancel: Cancel,
    ) -> Result<u64, QuotaError> {
        if self.of_client(client.client).count() >= MAX_TRANSFERS_PER_CLIENT {
            return Err(QuotaError::OverShare);
        }
        if priority == Priority::Save {
            within(&self.slots, client, 0, 1)?;
            self.slots.add(client, 1);
        }
        self.last_number += 1;
        let state = TransferState::new(now, client, priority, cancel);
        self.totals.add(&state);
        self.transfers.insert(self.last_number, state);
        self.by_client.insert((client.client, self.last_number));
        Ok(self.last_number)
    }

    pub(super) fn record_progress(&mut self, now: Duration, number: u64, bytes: u64) {
        if let Some(state) = self.transfers.get_mut(&number) {
            state.record_progress(now, bytes);
            self.bytes_moved = self.bytes_moved.wrapping_add(bytes);
        }
    }

    /// Marks the upload slot as acquired. It counted for the client's share before.
    pub(super) fn occupy_slot(&mut self, number: u64) -> Result<(), QuotaError> {
        self.update(number, TransferState::occupy_slot)
    }

    /// Counts bytes that the transfer waits for. They count for its share from now on, so that no client queues for
    /// more than its share.
    pub(super) fn request_bytes(&mut self, number: u64, bytes: u64) -> Result<(), QuotaError> {
        let state = self.active(number)?;
        let client = state.client;
        within(&self.bytes, client, state.bytes_total(), bytes)?;
        self.bytes.add(client, bytes);
        self.update(number, |state| state.bytes_requested += bytes)
    }

    /// Marks the requested bytes as acquired.
    pub(super) fn confirm_bytes(&mut self, number: u64) -> Result<(), QuotaError> {
        self.update(number, TransferState::confirm_bytes)
    }

    /// Allows an upload to pause. Returns the callback of the transfer that was cancelled for it, if one was.
    pub(super) fn allow_pause(
        &mut self,
        now: Duration,
        number: u64,
    ) -> Result<Option<Cancel>, QuotaError> {
        let state = self.active(number)?;
        let client = state.client;
        if state.may_pause {
            return Ok(None);
        }
        within(&self.pauses, client, 0, 1)?;
        let mut cancel = None;
        if self.shortage(number, Resource::Pause) > 0 {
            let mut selector = VictimSelector::new(now, number, Resource::Pause, 1);
            let victim = selector.next(self, Scope::All);
            cancel = self.cancel(victim.ok_or(QuotaError::OverShare)?);
        }
        self.pauses.add(client, 1);
        self.update(number, |state| state.may_pause = true)?;
        Ok(cancel)
    }

    /// Makes room for an upload that waits for a slot.
    pub(super) fn preempt_for_slot(&mut self, now: Duration, number: u64) -> Preemption {
        self.preempt(now, number, &[Resource::Slot], 1)
    }

    /// Makes room for a transfer that waits for bytes: under its own ceiling first, then under those above.
    pub(super) fn preempt_for_bytes(&mut self, now: Duration, number: u64) -> Preemption {
        let Ok(state) = self.active(number) else {
            return Preemption::default();
        };
        let ceilings = Priority::ALL.map(Resource::Bytes);
        let (own, requested) = (state.priority.index(), state.bytes_requested);
        self.preempt(now, number, &ceilings[own..], requested)
    }

    /// Cancels transfers of the same client or network until `bytes` more are within its share.
    pub(super) fn preempt_for_share(
        &mut self,
        now: Duration,
        number: u64,
        bytes: u64,
    ) -> Vec<Cancel> {
        // Bytes of every priority count for the share.
        let resource = Resource::Bytes(Priority::Read);
        let mut selector = VictimSelector::new(now, number, resource, bytes);
        let mut cancels = Vec::new();
        while let Ok(state) = self.active(number)
            && let Some(share) = (self.bytes).exceeded(state.client, state.bytes_total(), bytes)
            && let Some(victim) = selector.next(
                self,
                match share {
                    ExceededShare::OfClient => Scope::OwnClient,
                    ExceededShare::OfNetwork => Scope::OwnNetwork,
                },
            )
        {
            cancels.extend(self.cancel(victim));
        }
        cancels
    }

    /// Removes a transfer that has ended. Returns its callback, to be dropped without the lock.
    pub(super) fn end(&mut self, number: u64) -> Option<Cancel> {
        let cancel = self.stop_counting(number);
        self.transfers.remove(&number);
        cancel
    }

    pub(super) fn get(&self, number: u64) -> Option<&TransferState> {
        self.transfers.get(&number)
    }

    /// The transfers of a client that were not cancelled, by number.
    pub(super) fn of_client(&self, client: u64) -> impl Iterator<Item = (u64, &TransferState)> {
        let numbers = self.by_client.range((client, 0)..=(client, u64::MAX));
        numbers.filter_map(|(_, number)| Some((*number, self.transfers.get(number)?)))
    }

    /// What each client and network holds or waits for of the resource.
    pub(super) fn shares(&self, resource: Resource) -> &FairShares {
        match resource {
            Resource::Bytes(_) => &self.bytes,
            Resource::Slot => &self.slots,
            Resource::Pause => &self.pauses,
        }
    }

    /// Uploads that may pause.
    pub(super) fn paused(&self) -> usize {
        usize::try_from(self.pauses.total()).expect("fewer pauses than transfers in memory")
    }

    /// Bytes transferred since the start.
    pub(super) fn bytes_moved(&self) -> u64 {
        self.bytes_moved
    }

    /// Transfers cancelled since the start.
    pub(super) fn cancelled(&self) -> u64 {
        self.cancelled
    }

    /// Transfers in progress.
    pub(super) fn count(&self) -> usize {
        self.transfers.len()
    }

    /// A transfer that was not cancelled.
    fn active(&self, number: u64) -> Result<&TransferState, QuotaError> {
        let state = self.transfers.get(&number);
        let state = state.filter(|state| state.cancel.is_some());
        state.ok_or(QuotaError::Cancelled)
    }

    /// Changes a transfer that was not cancelled.
    fn update(
        &mut self,
        number: u64,
        change: impl FnOnce(&mut TransferState),
    ) -> Result<(), QuotaError> {
        let state = self.transfers.get_mut(&number);
        let state = state
            .filter(|state| state.cancel.is_some())
            .ok_or(QuotaError::Cancelled)?;
        self.totals.sub(state);
        change(state);
        self.totals.add(state);
        Ok(())
    }

    /// Cancels transfers until `amount` is free of each resource, one resource after the other: bytes that come free
    /// under one ceiling help under the next.
    fn preempt(
        &mut self,
        now: Duration,
        number: u64,
        resources: &[Resource],
        amount: u64,
    ) -> Preemption {
        let mut preemption = Preemption::default();
        let mut freed = 0;
        for &resource in resources {
            let mut selector = VictimSelector::new(now, number, resource, 0);
            while freed < amount
                && self.shortage(number, resource) > 0
                && let Some(victim) = selector.next(self, Scope::All)
            {
                freed += self.get(victim).map_or(0, |it| it.releasable(resource));
                preemption.cancels.extend(self.cancel(victim));
            }
        }
        preemption.may_queue = resources.iter().any(|it| !self.is_heaviest(number, *it))
            && self.update(number, TransferState::queue).is_ok();
        preemption
    }

    /// How much is missing for this transfer and all that hold or queue for the resource.
    fn shortage(&self, number: u64, resource: Resource) -> u64 {
        let state = self.active(number);
        state.map_or(0, |it| {
            self.totals.shortage(resource, it.unqueued(resource))
        })
    }

    /// Whether the transfer's network holds more of the resource than every other network.
    fn is_heaviest(&self, number: u64, resource: Resource) -> bool {
        let Ok(state) = self.active(number) else {
            return true;
        };
        let (shares, own) = (self.shares(resource), state.client.network);
        let heaviest_other = shares.networks().find(|(network, _)| *network != own);
        heaviest_other.is_none_or(|(_, weight)| weight < shares.of_network(own))
    }

    fn cancel(&mut self, number: u64) -> Option<Cancel> {
        self.cancelled += 1;
        self.stop_counting(number)
    }

    /// Takes the transfer out of all sums. Returns its callback unless it was cancelled before.
    fn stop_counting(&mut self, number: u64) -> Option<Cancel> {
        let state = self.transfers.get_mut(&number)?;
        let cancel = state.cancel.take()?;
        let client = state.client;
        self.totals.sub(state);
        self.bytes.sub(client, state.bytes_total());
        if state.is_upload() {
            self.slots.sub(client, 1);
        }
        if state.may_pause {
            self.pauses.sub(client, 1);
        }
        self.by_client.remove(&(client.client, number));
        Some(cancel)
    }
}

fn within(shares: &FairShares, client: ClientKey, own: u64, more: u64) -> Result<(), QuotaError> {
    match shares.exceeded(client, own, more) {
        None => Ok(()),
        Some(_) => Err(QuotaError::OverShare),
    }
}

impl std::fmt::Debug for TransferRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransferRegistry")
            .field("transfers", &self.count())
            .finish_non_exhaustive()
    }
}
