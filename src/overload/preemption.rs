//! Preemption: cancels other transfers when a transfer lacks a resource.
//!
//! Invariants: transfers of the heaviest network and client are cancelled ([`VictimSelector`]). No transfer is
//! cancelled while the capacity covers all transfers that use the resource or queue for it. Only as many are cancelled
//! as the shortage needs, and each only once.
//! Cost: each search for victims is limited.

use std::time::Duration;

use super::byte_budget::Priority;
use super::transfer_registry::{QuotaError, TransferRegistry, within};
use super::transfer_state::{Cancel, Resource};
use super::victim_selector::{Scope, VictimSelector};
use crate::fairness::ExceededShare;

impl TransferRegistry {
    /// Allows an upload to pause. If another transfer was cancelled for it, returns the callback of that transfer.
    /// Returns `None` if no transfer was cancelled.
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

    /// Cancels transfers of the same client or network until `bytes` more fit into the share. Stops early if no further
    /// transfer may be cancelled. Returns the callbacks of the cancelled transfers.
    pub(super) fn preempt_for_share(
        &mut self,
        now: Duration,
        number: u64,
        bytes: u64,
    ) -> Vec<Cancel> {
        // Bytes of every priority count towards the share.
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

    /// Cancels other transfers until what this one waits for comes free: the requested bytes, or else a slot. Bytes are
    /// freed under the transfer's own ceiling first, and then under each higher ceiling. Those that come free under one
    /// ceiling also count under the next.
    ///
    /// Returns the callbacks of the cancelled transfers, which must be called without the lock, and true if this
    /// transfer may queue.
    pub(super) fn preempt(&mut self, now: Duration, number: u64) -> (Vec<Cancel>, bool) {
        let mut cancels = Vec::new();
        let Ok(state) = self.active(number) else {
            return (cancels, false);
        };
        let ceilings = Priority::ALL.map(Resource::Bytes);
        let (resources, amount) = match state.bytes_requested {
            0 => (&[Resource::Slot][..], 1),
            requested => (&ceilings[state.priority.index()..], requested),
        };
        let mut freed = 0;
        for &resource in resources {
            let mut selector = VictimSelector::new(now, number, resource, 0);
            while freed < amount
                && self.shortage(number, resource) > 0
                && let Some(victim) = selector.next(self, Scope::All)
            {
                freed += self.get(victim).map_or(0, |it| it.releasable(resource));
                cancels.extend(self.cancel(victim));
            }
        }
        let may_queue = resources.iter().any(|it| !self.is_heaviest(number, *it))
            && self.update(number, |state| state.queues = true).is_ok();
        (cancels, may_queue)
    }

    /// Returns how much of the resource is missing for this transfer and for all transfers that use or queue for it.
    fn shortage(&self, number: u64, resource: Resource) -> u64 {
        let (state, index) = (self.active(number), resource.index());
        state.map_or(0, |it| {
            (self.demand[index] + it.unqueued(resource)).saturating_sub(self.capacity[index])
        })
    }

    /// Returns true if the transfer's network weighs more in this resource than every other network. Also returns true
    /// for a cancelled transfer.
    fn is_heaviest(&self, number: u64, resource: Resource) -> bool {
        let Ok(state) = self.active(number) else {
            return true;
        };
        let (shares, own) = (self.shares(resource), state.client.network);
        let heaviest_other = shares.networks().find(|(network, _)| *network != own);
        heaviest_other.is_none_or(|(_, weight)| weight < shares.of_network(own))
    }
}
