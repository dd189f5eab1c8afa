//! Fair shares: how much of one resource each client and each network uses. Clients and networks are ordered by this
//! amount.
//!
//! A weight is the amount of the resource that a client or network uses.
//! Invariants: the weight of a network is the sum of the weights of its clients. `total` is the sum over all networks.
//! A client or network of weight zero has no entry. Each ordered set has exactly the weights of its map.
//! Cost: the data is in four B-trees of the standard library. A change takes O(log n), and so does the search for the
//! heaviest client. No operation sums over all clients.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use super::ClientKey;

/// How much of one resource each client holds: its weight, in the unit of the resource. A value of type `T` is stored
/// for each client whose weight is above zero.
#[derive(Debug)]
pub(crate) struct FairShares<T = ()> {
    max_of_client: u64,
    max_of_network: u64,
    clients: BTreeMap<ClientKey, Share<T>>,
    /// Tuples of network, weight and client, so that the clients of a network are ordered by weight.
    clients_by_weight: BTreeSet<(u64, u64, u64)>,
    networks: BTreeMap<u64, u64>,
    /// Tuples of weight and network, so that the networks are ordered by weight.
    networks_by_weight: BTreeSet<(u64, u64)>,
    total: u64,
}

/// The weight of one client, and the value stored with it.
#[derive(Debug)]
struct Share<T> {
    weight: u64,
    attached: T,
}

/// The limit that a request would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExceededShare {
    /// The request would exceed the limit of the client.
    OfClient,
    /// The request would exceed the limit of the client's network.
    OfNetwork,
}

impl FairShares {
    /// Creates empty shares with a limit of `max_of_client` for each client and `max_of_network` for each network.
    pub(crate) fn new(max_of_client: u64, max_of_network: u64) -> Self {
        Self {
            max_of_client,
            max_of_network,
            ..Self::unlimited()
        }
    }

    /// Adds `more` to the weight of the client.
    pub(crate) fn add(&mut self, client: ClientKey, more: u64) {
        if more > 0 {
            self.add_with(client, more, || ());
        }
    }
}

impl<T: Copy> FairShares<T> {
    /// The sizes in bytes of the tree entries for one client.
    pub(crate) const CLIENT_ENTRIES: [usize; 2] = [
        size_of::<(ClientKey, Share<T>)>(),
        size_of::<(u64, u64, u64)>(),
    ];

    /// The sizes in bytes of the tree entries for one network.
    pub(crate) const NETWORK_ENTRIES: [usize; 2] = [size_of::<(u64, u64)>(); 2];

    /// Creates empty shares without limits.
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

    /// Returns the limit that would be exceeded if a transfer of this client reserved `more` in addition. `own` is the
    /// amount that the transfer has reserved so far. Returns `None` if no limit would be exceeded.
    ///
    /// A limit does not apply to the only transfer of a client or network. Otherwise no transfer could be larger than
    /// the limit.
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

    /// Adds `more` to the weight of the client, and returns the value stored with the client. `more` must be above
    /// zero. If the client had no entry, `attach` creates the value.
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

    /// Subtracts `less` from the weight of the client. If the weight becomes zero, the client's entry is removed and
    /// its value is returned. Returns `None` if the weight is still above zero, or if the client had no entry.
    pub(crate) fn sub(&mut self, client: ClientKey, less: u64) -> Option<T> {
        let Entry::Occupied(mut share) = self.clients.entry(client) else {
            return None;
        };
        let before = share.get().weight;
        let after = before.saturating_sub(less);
        share.get_mut().weight = after;
        let removed = (after == 0).then(|| share.remove().attached);
        self.reorder_client(client, before, after);
        self.change_network(client.network, |weight| weight - (before - after));
        self.total -= before - after;
        removed
    }

    /// Returns the weight of the network.
    pub(crate) fn of_network(&self, network: u64) -> u64 {
        self.networks.get(&network).copied().unwrap_or(0)
    }

    /// Returns the weight of the client.
    pub(crate) fn of_client(&self, client: ClientKey) -> u64 {
        self.clients.get(&client).map_or(0, |share| share.weight)
    }

    /// Returns the weight of all clients together.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the networks and their weights, heaviest first.
    pub(crate) fn networks(&self) -> impl Iterator<Item = (u64, u64)> {
        let heaviest_first = self.networks_by_weight.iter().rev();
        heaviest_first.map(|&(weight, network)| (network, weight))
    }

    /// Returns the clients of a network and their weights, heaviest first.
    pub(crate) fn clients(&self, network: u64) -> impl Iterator<Item = (u64, u64)> {
        let all = (network, 0, 0)..=(network, u64::MAX, u64::MAX);
        let heaviest_first = self.clients_by_weight.range(all).rev();
        heaviest_first.map(|&(_, weight, client)| (client, weight))
    }

    /// Returns the client that must release something so that `saver` can add `incoming`, and the value stored with
    /// that client. It is the heaviest client of the heaviest network.
    ///
    /// `incoming` is counted for the saver. Among equally heavy networks or clients, the one with the greater key is
    /// chosen. A client without an entry is never chosen, not even the saver. Returns `None` if no client has an entry.
    pub(crate) fn next_victim(&self, saver: ClientKey, incoming: u64) -> Option<(ClientKey, T)> {
        let own = self.networks.get_key_value(&saver.network);
        let own = own.map(|(&network, &weight)| (network, weight.saturating_add(incoming)));
        let network = heavier(self.networks().next()?, own);
        let is_own = network == saver.network;
        let own = is_own.then(|| self.clients.get(&saver)).flatten();
        let own = own.map(|share| (saver.client, share.weight.saturating_add(incoming)));
        let client = heavier(self.clients(network).next()?, own);
        let key = ClientKey { network, client };
        let share = self.clients.get(&key)?;
        Some((key, share.attached))
    }

    /// Returns the number of clients with an entry.
    pub(crate) fn client_count(&self) -> usize {
        self.clients.len()
    }

    /// Returns the number of networks with an entry.
    pub(crate) fn network_count(&self) -> usize {
        self.networks.len()
    }

    /// Returns all clients with an entry, their weights and their stored values. Only checks use this.
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

/// Returns the key of the heavier of two entries. If both weigh the same, it returns the greater key.
fn heavier(heaviest: (u64, u64), own: Option<(u64, u64)>) -> u64 {
    let by_weight = |(key, weight): (u64, u64)| (weight, key);
    own.map_or(heaviest, |own| {
        std::cmp::max_by_key(heaviest, own, |it| by_weight(*it))
    })
    .0
}

#[cfg(test)]
mod tests;
