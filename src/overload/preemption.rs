//! Preemption: cancels other transfers when a transfer lacks a resource.
//!
//! Weight is the use of the resource that is short. The victim is the slowest transfer of the heaviest client in the
//! heaviest network. The search has three steps. First it considers other networks that weigh at least as much as the
//! waiting transfer's network. Then it considers other clients of that network that weigh at least as much as the
//! waiting transfer's client. Last it considers other transfers of that client. If a network or client weighs the same,
//! only its slow transfers may be cancelled. The same applies to the transfers of the waiting transfer's own client.
//! Invariants: no transfer is cancelled while the capacity covers all transfers that use the resource or queue for it.
//! Only as many are cancelled as the shortage needs, and each only once. A selector is used only while the lock is
//! held, so no transfer starts meanwhile.
//! Cost: each client's transfers are inspected once, however many of them are cancelled. The search stops after
//! [`MAX_LOOKS`] clients and transfers, and the waiting transfer tries again later.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use super::byte_budget::Priority;
use super::transfer_registry::{QuotaError, TransferRegistry, within};
use super::transfer_state::{Cancel, Resource};
use crate::fairness::ExceededShare;

/// Maximum number of clients and transfers that one selector inspects. This takes about a third of a millisecond.
pub(super) const MAX_LOOKS: usize = 4096;

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
            let victim = selector.next(self, None);
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
            && let Some(victim) = selector.next(self, Some(share))
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
                && let Some(victim) = selector.next(self, None)
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

/// A transfer that would free some of the resource if it were cancelled.
struct Candidate {
    number: u64,
    rate: u128,
    is_slow: bool,
}

/// The search for victims on behalf of one waiting transfer.
struct VictimSelector {
    now: Duration,
    /// The number of the waiting transfer.
    number: u64,
    resource: Resource,
    /// The amount that the transfer waits for and that the weights of its client and network do not include yet.
    more: u64,
    /// The candidates of each client inspected so far, slowest last.
    candidates: BTreeMap<u64, Vec<Candidate>>,
    looks: usize,
}

impl VictimSelector {
    fn new(now: Duration, number: u64, resource: Resource, more: u64) -> Self {
        Self {
            now,
            number,
            resource,
            more,
            candidates: BTreeMap::new(),
            looks: 0,
        }
    }

    /// Returns the number of the next victim. Returns `None` if no transfer may be cancelled, or after [`MAX_LOOKS`].
    /// If only a share is used up, only a transfer that counts towards it is chosen.
    fn next(&mut self, registry: &TransferRegistry, share: Option<ExceededShare>) -> Option<u64> {
        let own = registry.get(self.number)?.client;
        let shares = registry.shares(self.resource);
        let network_weight = shares.of_network(own.network).saturating_add(self.more);
        let client_weight = shares.of_client(own).saturating_add(self.more);
        let other_networks = share.is_none().then(|| {
            at_least_as_heavy(shares.networks(), own.network, network_weight).flat_map(
                |(network, only_slow)| {
                    let clients = shares.clients(network);
                    clients.map(move |(client, _)| (client, only_slow))
                },
            )
        });
        let neighbours = (share != Some(ExceededShare::OfClient))
            .then(|| at_least_as_heavy(shares.clients(own.network), own.client, client_weight));
        let others = other_networks.into_iter().flatten();
        let others = others.chain(neighbours.into_iter().flatten());
        for (client, only_slow) in others.chain([(own.client, true)]) {
            self.looks += 1;
            if self.looks > MAX_LOOKS {
                return None;
            }
            let victim = self.slowest(registry, client, only_slow);
            if victim.is_some() {
                return victim;
            }
        }
        None
    }

    /// Removes and returns the slowest candidate of a client. Returns `None` if the client has no suitable candidate.
    fn slowest(
        &mut self,
        registry: &TransferRegistry,
        client: u64,
        only_slow: bool,
    ) -> Option<u64> {
        let (now, number, resource, looks) =
            (self.now, self.number, self.resource, &mut self.looks);
        let candidates = self.candidates.entry(client).or_insert_with(|| {
            let mut candidates: Vec<Candidate> = registry
                .of_client(client)
                .inspect(|_| *looks += 1)
                .filter(|(other, state)| *other != number && state.releasable(resource) > 0)
                .map(|(number, state)| Candidate {
                    number,
                    rate: state.rate(now),
                    // Every paused upload is slow.
                    is_slow: resource == Resource::Pause || state.is_slow(now),
                })
                .collect();
            candidates.sort_unstable_by_key(|it| Reverse((it.rate, it.number)));
            candidates
        });
        let slowest = candidates.iter().rposition(|it| it.is_slow || !only_slow)?;
        Some(candidates.remove(slowest).number)
    }
}

/// Returns the keys that weigh at least `weight`, heaviest first and without `own`. The flag is true if the weight is
/// equal: then only slow transfers may be cancelled.
fn at_least_as_heavy(
    heaviest_first: impl Iterator<Item = (u64, u64)>,
    own: u64,
    weight: u64,
) -> impl Iterator<Item = (u64, bool)> {
    heaviest_first
        .take_while(move |(_, theirs)| *theirs >= weight)
        .filter(move |(key, _)| *key != own)
        .map(move |(key, theirs)| (key, theirs == weight))
}
