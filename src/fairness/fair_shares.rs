//! Fair shares: how much each client and each network holds of one resource, in order of weight.
//!
//! Invariants: a network holds what its clients hold together, and `total` is what all networks hold. A client or network
//! that holds nothing has no entry. Each order has exactly the weights of its map.
//! Cost: four B-trees of std. A change and the search for the heaviest are O(log n); nothing is ever summed up.

use std::collections::{BTreeMap, BTreeSet};

use super::ClientKey;

/// What all clients hold of one resource. A `T` can be attached to each client that holds something.
#[derive(Debug)]
pub(crate) struct FairShares<T = ()> {
    max_of_client: u64,
    max_of_network: u64,
    clients: BTreeMap<ClientKey, Share<T>>,
    /// Network, weight and client.
    clients_by_weight: BTreeSet<(u64, u64, u64)>,
    networks: BTreeMap<u64, u64>,
    /// Weight and network.
    networks_by_weight: BTreeSet<(u64, u64)>,
    total: u64,
}

/// What one client holds.
#[derive(Debug)]
struct Share<T> {
    weight: u64,
    attached: T,
}

/// Which share would be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExceededShare {
    /// That of the client.
    OfClient,
    /// That of its network.
    OfNetwork,
}

impl FairShares {
    /// Shares of at most `max_of_client` for each client and `max_of_network` for each network.
    pub(crate) fn new(max_of_client: u64, max_of_network: u64) -> Self {
        Self {
            max_of_client,
            max_of_network,
            ..Self::unlimited()
        }
    }

    /// Adds to what the client holds.
    pub(crate) fn add(&mut self, client: ClientKey, more: u64) {
        if more > 0 {
            self.add_with(client, more, || ());
        }
    }
}

impl<T: Copy> FairShares<T> {
    /// Bytes of the tree entries that a client with a share takes.
    pub(crate) const CLIENT_ENTRIES: [usize; 2] = [
        size_of::<(ClientKey, Share<T>)>(),
        size_of::<(u64, u64, u64)>(),
    ];

    /// Bytes of the tree entries that a network with a share takes.
    pub(crate) const NETWORK_ENTRIES: [usize; 2] = [size_of::<(u64, u64)>(); 2];

    /// Shares without limits.
    pub(crate) fn unlimited() -> Self {
        Self {
            max_of_client: u64::MAX,
            max_of_network: u64::MAX,
            clients: BTreeMap::new(),
            clients_by_weight: BTreeSet::new(),
            networks: BTreeMap::new(),
            networks_by_weight: BTreeSet::new(),
            total: 0,
        }
    }

    /// The share that this client would exceed if one of its transfers, which holds `own`, held `more` in addition.
    /// Returns `None` if it may.
    ///
    /// The only transfer of a client, or of a network, is not measured by that share: else it could never be larger.
    pub(crate) fn exceeded(&self, client: ClientKey, own: u64, more: u64) -> Option<ExceededShare> {
        let exceeds = |held: u64, max: u64| held != own && held.saturating_add(more) > max;
        if exceeds(self.of_client(client), self.max_of_client) {
            Some(ExceededShare::OfClient)
        } else if exceeds(self.of_network(client.network), self.max_of_network) {
            Some(ExceededShare::OfNetwork)
        } else {
            None
        }
    }

    /// Adds to what the client holds, which must be more than nothing. Returns what is attached to the client: `attach`
    /// makes it when the client held nothing before.
    pub(crate) fn add_with(
        &mut self,
        client: ClientKey,
        more: u64,
        attach: impl FnOnce() -> T,
    ) -> T {
        let share = self.clients.entry(client).or_insert_with(|| Share {
            weight: 0,
            attached: attach(),
        });
        let (before, attached) = (share.weight, share.attached);
        share.weight = before.saturating_add(more);
        let after = share.weight;
        self.reorder_client(client, before, after);
        self.change_network(client.network, |weight| {
            weight.saturating_add(after - before)
        });
        self.total = self.total.saturating_add(after - before);
        attached
    }

    /// Subtracts from what the client holds. Returns what was attached to the client if it holds nothing any more.
    pub(crate) fn sub(&mut self, client: ClientKey, less: u64) -> Option<T> {
        let share = self.clients.get_mut(&client)?;
        let before = share.weight;
        share.weight = before.saturating_sub(less);
        let after = share.weight;
        self.reorder_client(client, before, after);
        self.change_network(client.network, |weight| weight - (before - after));
        self.total -= before - after;
        match after {
            0 => self.clients.remove(&client).map(|share| share.attached),
            _ => None,
        }
    }

    /// What the network holds.
    pub(crate) fn of_network(&self, network: u64) -> u64 {
        self.networks.get(&network).copied().unwrap_or(0)
    }

    /// What the client holds.
    pub(crate) fn of_client(&self, client: ClientKey) -> u64 {
        self.clients.get(&client).map_or(0, |share| share.weight)
    }

    /// What all clients hold.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The networks and what each holds, the heaviest first.
    pub(crate) fn networks(&self) -> impl Iterator<Item = (u64, u64)> {
        let heaviest_first = self.networks_by_weight.iter().rev();
        heaviest_first.map(|&(weight, network)| (network, weight))
    }

    /// The clients of a network and what each holds, the heaviest first.
    pub(crate) fn clients(&self, network: u64) -> impl Iterator<Item = (u64, u64)> {
        let all = (network, 0, 0)..=(network, u64::MAX, u64::MAX);
        let heaviest_first = self.clients_by_weight.range(all).rev();
        heaviest_first.map(|&(_, weight, client)| (client, weight))
    }

    /// The client that has to give when `saver` needs `incoming` more, and what is attached to it: the heaviest client of
    /// the heaviest network.
    ///
    /// What comes in counts as the saver's already. Of two with the same weight the one with the greater hash gives. A
    /// client that holds nothing is passed over, the saver too. Returns `None` if nothing is held.
    pub(crate) fn next_to_give(&self, saver: ClientKey, incoming: u64) -> Option<(ClientKey, T)> {
        let own = self.networks.get_key_value(&saver.network);
        let own = own.map(|(&network, &weight)| (network, weight.saturating_add(incoming)));
        let network = heavier(self.networks().next()?, own);
        let own = self
            .clients
            .get(&saver)
            .filter(|_| network == saver.network);
        let own = own.map(|share| (saver.client, share.weight.saturating_add(incoming)));
        let client = heavier(self.clients(network).next()?, own);
        let key = ClientKey { network, client };
        let share = self.clients.get(&key)?;
        Some((key, share.attached))
    }

    /// Clients that hold something.
    pub(crate) fn client_count(&self) -> usize {
        self.clients.len()
    }

    /// Networks that hold something.
    pub(crate) fn network_count(&self) -> usize {
        self.networks.len()
    }

    /// All clients that hold something, with their weights and what is attached to them; for checks.
    pub(crate) fn all(&self) -> impl Iterator<Item = (ClientKey, u64, T)> {
        let clients = self.clients.iter();
        clients.map(|(key, share)| (*key, share.weight, share.attached))
    }

    fn reorder_client(&mut self, key: ClientKey, before: u64, after: u64) {
        let ClientKey { network, client } = key;
        if before > 0 {
            self.clients_by_weight.remove(&(network, before, client));
        }
        if after > 0 {
            self.clients_by_weight.insert((network, after, client));
        }
    }

    fn change_network(&mut self, network: u64, change: impl FnOnce(u64) -> u64) {
        let weight = self.networks.entry(network).or_insert(0);
        let before = *weight;
        *weight = change(before);
        let after = *weight;
        if before > 0 {
            self.networks_by_weight.remove(&(before, network));
        }
        if after > 0 {
            self.networks_by_weight.insert((after, network));
        } else {
            self.networks.remove(&network);
        }
    }
}

/// The key of the heavier of two, of the same weight the greater key.
fn heavier(heaviest: (u64, u64), own: Option<(u64, u64)>) -> u64 {
    let by_weight = |(key, weight): (u64, u64)| (weight, key);
    own.map_or(heaviest, |own| {
        std::cmp::max_by_key(heaviest, own, |it| by_weight(*it))
    })
    .0
}

#[cfg(test)]
mod tests;
