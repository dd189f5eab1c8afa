//! Shares: how much of one thing each client and each network holds, and who holds the most.
//!
//! What it must not know: what the thing is, why somebody holds it.
//! Invariants: a network holds what its clients hold; who holds nothing leaves no entry; one client never gets more than
//! its share and one network never more than its own, except by one transfer that is all it has.
//! Cost: four trees; a change and the question for the heaviest are logarithmic, nothing is ever summed up.

use std::collections::{BTreeMap, BTreeSet};

use super::ClientKey;

/// What everybody holds of one thing.
#[derive(Debug)]
pub(crate) struct FairShares {
    most_of_client: u64,
    most_of_network: u64,
    networks: Ranking,
    /// The clients of each network that holds something.
    clients: BTreeMap<u64, Ranking>,
    total: u64,
}

/// Whose share it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExceededShare {
    /// One client's.
    OfClient,
    /// One network's.
    OfNetwork,
}

/// Weights by key and in order.
#[derive(Debug, Default)]
struct Ranking {
    weights: BTreeMap<u64, u64>,
    order: BTreeSet<(u64, u64)>,
}

impl FairShares {
    /// Of which one client gets so much at most, and one network so much.
    pub(crate) fn new(most_of_client: u64, most_of_network: u64) -> Self {
        Self {
            most_of_client,
            most_of_network,
            networks: Ranking::default(),
            clients: BTreeMap::new(),
            total: 0,
        }
    }

    /// The share that a transfer of this client that holds `own` would exceed with so much more; none if it gets it.
    /// What is the only one of its client, or of its network, is not measured by that one's share: else it would never
    /// get in.
    pub(crate) fn exceeded(&self, who: ClientKey, own: u64, more: u64) -> Option<ExceededShare> {
        let exceeds = |held: u64, most: u64| held != own && held.saturating_add(more) > most;
        if exceeds(self.of_client(who), self.most_of_client) {
            Some(ExceededShare::OfClient)
        } else if exceeds(self.of_network(who.network), self.most_of_network) {
            Some(ExceededShare::OfNetwork)
        } else {
            None
        }
    }

    /// The client holds so much more.
    pub(crate) fn add(&mut self, who: ClientKey, more: u64) {
        self.change(who, |weight| weight.saturating_add(more));
        self.total = self.total.saturating_add(more);
    }

    /// The client holds so much less.
    pub(crate) fn sub(&mut self, who: ClientKey, less: u64) {
        self.change(who, |weight| weight.saturating_sub(less));
        self.total = self.total.saturating_sub(less);
    }

    /// What the network holds.
    pub(crate) fn of_network(&self, network: u64) -> u64 {
        self.networks.weight(network)
    }

    /// What the client holds.
    pub(crate) fn of_client(&self, who: ClientKey) -> u64 {
        let clients = self.clients.get(&who.network);
        clients.map_or(0, |clients| clients.weight(who.client))
    }

    /// What all hold.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The networks and what each holds, the heaviest first.
    pub(crate) fn networks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.networks.heaviest_first()
    }

    /// The clients of a network and what each holds, the heaviest first.
    pub(crate) fn clients(&self, network: u64) -> impl Iterator<Item = (u64, u64)> {
        let clients = self.clients.get(&network);
        clients.into_iter().flat_map(Ranking::heaviest_first)
    }

    fn change(&mut self, who: ClientKey, change: impl Fn(u64) -> u64) {
        self.networks.change(who.network, &change);
        let clients = self.clients.entry(who.network).or_default();
        clients.change(who.client, &change);
        if clients.weights.is_empty() {
            self.clients.remove(&who.network);
        }
    }
}

impl Ranking {
    fn weight(&self, key: u64) -> u64 {
        self.weights.get(&key).copied().unwrap_or(0)
    }

    fn change(&mut self, key: u64, change: impl Fn(u64) -> u64) {
        let before = self.weight(key);
        let after = change(before);
        self.order.remove(&(before, key));
        if after == 0 {
            self.weights.remove(&key);
        } else {
            self.weights.insert(key, after);
            self.order.insert((after, key));
        }
    }

    fn heaviest_first(&self) -> impl Iterator<Item = (u64, u64)> {
        self.order.iter().rev().map(|&(weight, key)| (key, weight))
    }
}
