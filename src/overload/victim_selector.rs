//! The victim selector: chooses which transfers are cancelled when a waiting transfer lacks a resource. It returns one
//! victim at a time.
//!
//! Weight is the use of the resource that is short. The victim is the slowest transfer of the heaviest client in the
//! heaviest network. The search has three steps. First it considers other networks that weigh at least as much as the
//! waiting transfer's network. Then it considers other clients of that network that weigh at least as much as the
//! waiting transfer's client. Last it considers other transfers of that client. If a network or client weighs the same,
//! only its slow transfers may be cancelled. The same applies to the transfers of the waiting transfer's own client.
//! Invariant: a selector is used only while the lock is held, so no transfer starts meanwhile.
//! Cost: each client's transfers are inspected once, however many of them are cancelled. The search stops after
//! [`MAX_LOOKS`] clients and transfers, and the waiting transfer tries again later.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use super::transfer_registry::TransferRegistry;
use super::transfer_state::Resource;

/// Maximum number of clients and transfers that one selector inspects. This takes about a third of a millisecond.
pub(super) const MAX_LOOKS: usize = 4096;

/// The set of transfers that may be chosen as victims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// All transfers: the resource is short for everyone.
    All,
    /// Transfers in the network of the waiting transfer: this network has used up its share.
    OwnNetwork,
    /// Transfers of the same client as the waiting transfer: this client has used up its share.
    OwnClient,
}

/// A transfer that would free some of the resource if it were cancelled.
struct Candidate {
    number: u64,
    rate: u128,
    is_slow: bool,
}

/// The search for victims on behalf of one waiting transfer.
pub(super) struct VictimSelector {
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
    pub(super) fn new(now: Duration, number: u64, resource: Resource, more: u64) -> Self {
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
    pub(super) fn next(&mut self, registry: &TransferRegistry, scope: Scope) -> Option<u64> {
        let own = registry.get(self.number)?.client;
        let shares = registry.shares(self.resource);
        let network_weight = shares.of_network(own.network).saturating_add(self.more);
        let client_weight = shares.of_client(own).saturating_add(self.more);
        let other_networks = (scope == Scope::All).then(|| {
            at_least_as_heavy(shares.networks(), own.network, network_weight).flat_map(
                |(network, only_slow)| {
                    let clients = shares.clients(network);
                    clients.map(move |(client, _)| (client, only_slow))
                },
            )
        });
        let neighbours = (scope != Scope::OwnClient)
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
