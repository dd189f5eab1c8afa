//! The victim selector: which transfer is cancelled for one in need, one after the other until it has enough.
//!
//! Rule: the victim is the slowest transfer of the heaviest client in the heaviest network, weighed by the resource
//! that is short. Among other networks, only those at least as heavy as the network in need are considered; then, in
//! its own network, only clients at least as heavy as the client in need; last the client's own other transfers. Equals
//! and the client's own transfers are cancelled only if they are slow.
//! Invariant: a selector lives within one hold of the lock, so no transfer starts meanwhile.
//! Cost: each client's transfers are inspected once, however many of them are cancelled. After [`MAX_LOOKS`] clients
//! and transfers it gives up, and the transfer in need tries again later.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use super::transfer_registry::TransferRegistry;
use super::transfer_state::Resource;

/// Clients and transfers that are inspected: about a third of a millisecond.
pub(super) const MAX_LOOKS: usize = 4096;

/// Where victims are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Everywhere: the resource is short for all.
    All,
    /// In the network of the transfer in need, which has its share.
    OwnNetwork,
    /// Among transfers of the client in need, which has its share.
    OwnClient,
}

/// A transfer whose end would help.
struct Candidate {
    number: u64,
    rate: u128,
    is_slow: bool,
}

/// The search for the victims of one transfer in need.
pub(super) struct VictimSelector {
    now: Duration,
    /// The transfer in need.
    number: u64,
    resource: Resource,
    /// How much the transfer in need would hold beyond what its shares count.
    more: u64,
    /// The candidates of each client inspected so far, the slowest last.
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

    /// The number of the next victim. Returns `None` if no transfer may be cancelled, or after too many looks.
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

    /// Removes and returns the slowest candidate of a client.
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

/// The keys other than `own` whose weight is at least `weight`, heaviest first, and whether only their slow transfers
/// may be cancelled: that is so for equals.
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
