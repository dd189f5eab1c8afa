//! Fair shares: how much of one resource each client and each network uses. Clients and networks are ordered by this
//! amount.
//!
//! A weight is the amount of the resource that a client or network uses. A rank decides among equal weights: the
//! greater one comes first. That of a client or network is its key, if nothing is attached to the clients. Otherwise
//! the caller ranks the clients, and a network has the rank of its heaviest client.
//! Invariants: the weight of a network is the sum of the weights of its clients. `total` is the sum over all networks.
//! A client or network of weight zero has no entry. Each order has exactly the weights and ranks of its map, and no two
//! clients have the same rank.
//! Cost: the data is in four B-trees of the standard library. A change takes O(log n), and so does the search for the
//! heaviest client. No operation sums over all clients.

use std::collections::btree_map::{BTreeMap, Entry};

use super::ClientKey;

/// How much of one resource each client holds: its weight, in the unit of the resource. A value of type `T` is attached
/// to each client whose weight is above zero.
pub(crate) struct FairShares<T = ()> {
    max_of_client: u64,
    max_of_network: u64,
    clients: BTreeMap<ClientKey, (WeightAndRank, T)>,
    /// The values attached to the clients, by network, weight and rank.
    clients_by_weight: BTreeMap<(u64, WeightAndRank), T>,
    networks: BTreeMap<u64, Network>,
    /// The values attached to the heaviest clients of the networks, by the weights and ranks of the networks.
    networks_by_weight: BTreeMap<WeightAndRank, T>,
    total: u64,
}

/// What orders clients and networks: the weight, then the rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct WeightAndRank {
    weight: u64,
    rank: u64,
}

/// The weight of a network, and the order of its heaviest client.
#[derive(Debug, Clone, Copy, Default)]
struct Network {
    weight: u64,
    heaviest: WeightAndRank,
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
            self.add_ranked(client, more, || (client.client, ()));
        }
    }

    /// Subtracts `less` from the weight of the client.
    pub(crate) fn sub(&mut self, client: ClientKey, less: u64) {
        self.sub_ranked(client, less, client.client);
    }

    /// Returns the networks and their weights, heaviest first.
    pub(crate) fn networks(&self) -> impl Iterator<Item = (u64, u64)> {
        let heaviest_first = self.networks_by_weight.keys().rev();
        heaviest_first.map(|order| (order.rank, order.weight))
    }

    /// Returns the clients of a network and their weights, heaviest first.
    pub(crate) fn clients(&self, network: u64) -> impl Iterator<Item = (u64, u64)> {
        let orders = orders_in(&self.clients_by_weight, network);
        orders.map(|(order, ())| (order.rank, order.weight))
    }
}

impl<T: Copy> FairShares<T> {
    /// The sizes in bytes of the tree entries for one client.
    pub(crate) const CLIENT_ENTRIES: [usize; 2] = [
        size_of::<(ClientKey, (WeightAndRank, T))>(),
        size_of::<((u64, WeightAndRank), T)>(),
    ];

    /// The sizes in bytes of the tree entries for one network.
    pub(crate) const NETWORK_ENTRIES: [usize; 2] =
        [size_of::<(u64, Network)>(), size_of::<(WeightAndRank, T)>()];

    /// Whether the caller ranks the clients. A value without a size says that the ranks are the keys.
    const IS_RANKED: bool = size_of::<T>() > 0;

    /// Creates empty shares without limits.
    pub(crate) fn unlimited() -> Self {
        Self {
            max_of_client: u64::MAX,
            max_of_network: u64::MAX,
            clients: BTreeMap::new(),
            clients_by_weight: BTreeMap::new(),
            networks: BTreeMap::new(),
            networks_by_weight: BTreeMap::new(),
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

    /// Adds `more` to the weight of the client, and returns the value attached to the client. `more` must be above
    /// zero. If the client had no entry, `open` creates its rank and the value.
    pub(crate) fn add_ranked(
        &mut self,
        client: ClientKey,
        more: u64,
        open: impl FnOnce() -> (u64, T),
    ) -> T {
        let (order, attached) = self.clients.entry(client).or_insert_with(|| {
            let (rank, attached) = open();
            (WeightAndRank { weight: 0, rank }, attached)
        });
        let (before, attached) = (*order, *attached);
        order.weight = before.weight.saturating_add(more);
        let after = *order;
        self.reorder(client.network, before, after, attached);
        attached
    }

    /// Subtracts `less`, which may be zero, from the weight of the client, and gives it this rank. If the weight
    /// becomes zero, the client's entry is removed, and the attached value is returned.
    pub(crate) fn sub_ranked(&mut self, client: ClientKey, less: u64, rank: u64) -> Option<T> {
        let Entry::Occupied(mut share) = self.clients.entry(client) else {
            return None;
        };
        let (order, attached) = share.get_mut();
        let (before, attached) = (*order, *attached);
        let weight = before.weight.saturating_sub(less);
        *order = WeightAndRank { weight, rank };
        let after = *order;
        let is_gone = weight == 0;
        if is_gone {
            share.remove();
        }
        self.reorder(client.network, before, after, attached);
        is_gone.then_some(attached)
    }

    /// Returns the weight of the network.
    pub(crate) fn of_network(&self, network: u64) -> u64 {
        self.networks.get(&network).map_or(0, |it| it.weight)
    }

    /// Returns the weight of the client.
    pub(crate) fn of_client(&self, client: ClientKey) -> u64 {
        self.clients.get(&client).map_or(0, |(it, _)| it.weight)
    }

    /// Returns the weight of all clients together.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the rank of the client that must release something so that `saver` can add `incoming`, and the value
    /// attached to that client. It is the heaviest client of the heaviest network.
    ///
    /// `incoming` is counted for the saver. A client without an entry is never chosen, not even the saver. Returns
    /// `None` if no client has an entry.
    pub(crate) fn next_victim(&self, saver: ClientKey, incoming: u64) -> Option<(u64, T)> {
        let (&heaviest, &attached) = self.networks_by_weight.last_key_value()?;
        if let Some(own) = self.networks.get(&saver.network) {
            let weight = own.weight.saturating_add(incoming);
            if weight >= heaviest.weight {
                let (rank, attached) = self.victim_beside(saver, incoming)?;
                let is_heaviest = Self::order_of(saver.network, own) == heaviest;
                if is_heaviest || (WeightAndRank { weight, rank }) > heaviest {
                    return Some((rank, attached));
                }
            }
        }
        Some((heaviest.rank, attached))
    }

    /// Returns the values attached to the heaviest clients of the networks, those of the heaviest network first.
    pub(crate) fn of_heaviest(&self) -> impl Iterator<Item = T> {
        self.networks_by_weight.values().rev().copied()
    }

    /// Returns the values attached to the clients of a network, those of the heaviest client first.
    pub(crate) fn attached(&self, network: u64) -> impl Iterator<Item = T> {
        orders_in(&self.clients_by_weight, network).map(|(_, attached)| attached)
    }

    /// Returns the number of clients with an entry.
    pub(crate) fn client_count(&self) -> usize {
        self.clients.len()
    }

    /// Returns the number of networks with an entry.
    pub(crate) fn network_count(&self) -> usize {
        self.networks.len()
    }

    /// Returns all clients with an entry, their weights, their ranks and their attached values.
    pub(crate) fn all(&self) -> impl Iterator<Item = (ClientKey, u64, u64, T)> {
        let clients = self.clients.iter();
        clients.map(|(key, (order, attached))| (*key, order.weight, order.rank, *attached))
    }

    /// Returns the rank of the heaviest client in the saver's network, and the value attached to it, if `incoming` is
    /// counted for the saver.
    fn victim_beside(&self, saver: ClientKey, incoming: u64) -> Option<(u64, T)> {
        let (heaviest, attached) = orders_in(&self.clients_by_weight, saver.network).next()?;
        if let Some(&(mut own, attached)) = self.clients.get(&saver) {
            own.weight = own.weight.saturating_add(incoming);
            if own > heaviest {
                return Some((own.rank, attached));
            }
        }
        Some((heaviest.rank, attached))
    }

    /// Returns what orders a network.
    fn order_of(key: u64, network: &Network) -> WeightAndRank {
        WeightAndRank {
            weight: network.weight,
            rank: match Self::IS_RANKED {
                true => network.heaviest.rank,
                false => key,
            },
        }
    }

    /// Brings a client of this network to its place, and the network to its own.
    fn reorder(&mut self, key: u64, before: WeightAndRank, after: WeightAndRank, attached: T) {
        if before.weight > 0 {
            self.clients_by_weight.remove(&(key, before));
        }
        if after.weight > 0 {
            self.clients_by_weight.insert((key, after), attached);
        }
        self.total -= before.weight;
        self.total = self.total.saturating_add(after.weight);
        let network = self.networks.entry(key).or_default();
        let former = match network.weight {
            0 => None,
            _ => self
                .networks_by_weight
                .remove(&Self::order_of(key, network)),
        };
        network.weight = (network.weight - before.weight).saturating_add(after.weight);
        if network.weight == 0 {
            self.networks.remove(&key);
            return;
        }
        let mut heaviest = (after, attached);
        if after < network.heaviest {
            heaviest = (network.heaviest, former.unwrap_or(attached));
            if before == network.heaviest && Self::IS_RANKED {
                let mut clients = orders_in(&self.clients_by_weight, key);
                heaviest = clients.next().unwrap_or(heaviest);
            }
        }
        network.heaviest = heaviest.0;
        let order = Self::order_of(key, network);
        self.networks_by_weight.insert(order, heaviest.1);
    }
}

/// Returns the weights and ranks of the clients of a network, heaviest first, and their attached values.
fn orders_in<T: Copy>(
    clients: &BTreeMap<(u64, WeightAndRank), T>,
    network: u64,
) -> impl Iterator<Item = (WeightAndRank, T)> {
    let greatest = WeightAndRank {
        weight: u64::MAX,
        rank: u64::MAX,
    };
    let all = (network, WeightAndRank::default())..=(network, greatest);
    let heaviest_first = clients.range(all).rev();
    heaviest_first.map(|((_, order), attached)| (*order, *attached))
}

#[cfg(test)]
mod tests;
