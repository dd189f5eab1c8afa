//! Preemption: which transfers are cancelled when a transfer lacks something.
//!
//! Invariants: the heaviest network and client make room ([`VictimSelector`]). No transfer is cancelled while there is
//! enough for all that hold or queue, and never more than the shortage needs. None is chosen twice.
//! Cost: a selection is bounded.

use std::time::Duration;

use super::byte_budget::Priority;
use super::transfer_registry::{QuotaError, TransferRegistry, within};
use super::transfer_state::{Cancel, Resource, TransferState};
use super::victim_selector::{Scope, VictimSelector};
use crate::fairness::ExceededShare;

/// The outcome of making room for a transfer.
#[derive(Default)]
pub(super) struct Preemption {
    /// Callbacks of the cancelled transfers, to be called without the lock.
    pub(super) cancels: Vec<Cancel>,
    /// Whether the transfer in need may queue.
    pub(super) may_queue: bool,
}

impl TransferRegistry {
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
}
