//! The ledger: who holds how much of the store, and whose paste is the next to make room.
//!
//! What it must not know: pastes, but for their ids and costs; deadlines; the budget.
//! Rule: room is taken from the heaviest network, in it from its heaviest holder, of that the least recently read
//! paste. What comes in counts as its saver's already. Of two that weigh the same, the one with the greater hash
//! gives. Who keeps nothing is in no heap, so a saver with nothing to give is passed over.
//! Invariants: a holder is known exactly while it has a paste, a network while it has a holder; a holder weighs what
//! its pastes cost, a network what its holders weigh. [`Ledger::inconsistency`] recounts.
//! Cost: a read moves three links in a slab, one more to fetch than the map's own list would have (noting reads and
//! moving the links of 64 together was measured to be no faster); a save or a departure looks up two hashes and moves a
//! holder in the heap of its network and the network in that of all, O(log n) each. Nothing allocates: every slab is
//! reserved at start, and what was touched of them is told, to be charged.

mod directory;
mod heap;
mod queues;
mod slab;

use std::collections::HashMap;

use crate::fairness::ClientKey;
use crate::paste::PasteId;
use directory::Directory;
use heap::{Heap, Heaped, Knot};
use queues::{Queue, Queues};
use slab::{Chained, Slab};

/// A holder that has pastes.
#[derive(Debug)]
struct Account {
    client: u64,
    network: u32,
    weight: usize,
    pastes: Queue,
    knot: Knot,
}

/// A network that has holders.
#[derive(Debug)]
struct Network {
    hash: u64,
    weight: usize,
    holders: Heap,
    knot: Knot,
}

/// Who holds how much.
#[derive(Debug)]
pub(super) struct Ledger {
    queues: Queues,
    accounts: Slab<Account>,
    accounts_by_client: Directory,
    networks: Slab<Network>,
    networks_by_hash: Directory,
    by_weight: Heap,
}

impl Ledger {
    /// What every paste touches of them.
    pub(super) const SLOT: usize = Queues::SLOT;

    /// The most that one paste more can touch of the slabs: a slot, a holder and a network.
    pub(super) const GROWTH: usize = Self::SLOT + Self::HOLDER + Self::NETWORK;

    /// What a holder touches of them beside its pastes.
    pub(super) const HOLDER: usize = size_of::<Account>();

    /// What a network touches of them beside its holders.
    pub(super) const NETWORK: usize = size_of::<Network>();

    /// A ledger of at most this many pastes, each of a holder and a network of its own.
    pub(super) fn reserved_for(pastes: usize) -> Self {
        Self {
            queues: Queues::reserved_for(pastes),
            accounts: Slab::reserved_for(pastes),
            accounts_by_client: Directory::reserved_for(pastes),
            networks: Slab::reserved_for(pastes),
            networks_by_hash: Directory::reserved_for(pastes),
            by_weight: Heap::EMPTY,
        }
    }

    /// Bytes that it takes from the start: hashes touch their tables everywhere at once.
    pub(super) fn tables(&self) -> usize {
        self.accounts_by_client.bytes() + self.networks_by_hash.bytes()
    }

    /// Bytes of the slabs that were ever used and so are resident, though they may be vacant now.
    pub(super) fn touched(&self) -> usize {
        self.queues.touched() * Self::SLOT
            + self.accounts.touched() * Self::HOLDER
            + self.networks.touched() * Self::NETWORK
    }

    /// Enters a paste of this cost as its holder's newest; says in which slot.
    pub(super) fn enter(&mut self, holder: ClientKey, id: PasteId, cost: usize) -> u32 {
        let network = match self.network(holder.network) {
            Some(known) => {
                self.networks[known].weight += cost;
                self.by_weight.reorder(&mut self.networks, known);
                known
            }
            None => self.open_network(holder.network, cost),
        };
        let account = match self.account(network, holder.client) {
            Some(known) => {
                self.accounts[known].weight += cost;
                let holders = &mut self.networks[network].holders;
                holders.reorder(&mut self.accounts, known);
                known
            }
            None => self.open_account(network, holder.client, cost),
        };
        let pastes = &mut self.accounts[account].pastes;
        pastes.push(&mut self.queues, account, id)
    }

    /// Whose paste is in this slot.
    pub(super) fn holder(&self, slot: u32) -> ClientKey {
        let account = &self.accounts[self.queues.holder(slot)];
        ClientKey {
            network: self.networks[account.network].hash,
            client: account.client,
        }
    }

    /// Makes the paste in this slot its holder's newest.
    pub(super) fn refresh(&mut self, slot: u32) {
        let account = self.queues.holder(slot);
        let pastes = &mut self.accounts[account].pastes;
        pastes.refresh(&mut self.queues, slot);
    }

    /// Strikes out the paste in this slot, which costs this much.
    pub(super) fn strike(&mut self, slot: u32, cost: usize) {
        let account = self.queues.holder(slot);
        let network = self.accounts[account].network;
        self.accounts[account].pastes.remove(&mut self.queues, slot);
        self.accounts[account].weight -= cost;
        self.networks[network].weight -= cost;
        let holders = &mut self.networks[network].holders;
        if self.accounts[account].pastes.is_empty() {
            holders.remove(&mut self.accounts, account);
            self.close_account(account);
        } else {
            holders.reorder(&mut self.accounts, account);
        }
        if self.networks[network].holders.top().is_none() {
            self.by_weight.remove(&mut self.networks, network);
            self.close_network(network);
        } else {
            self.by_weight.reorder(&mut self.networks, network);
        }
    }

    /// The paste that is the next to make room for what this saver brings, if any is kept.
    pub(super) fn next_to_give(&self, saver: ClientKey, incoming: usize) -> Option<PasteId> {
        let own_network = self.network(saver.network);
        let heaviest = self.by_weight.top()?;
        let network = heavier(&self.networks, heaviest, own_network, incoming);
        let own_account = own_network
            .filter(|own| *own == network)
            .and_then(|own| self.account(own, saver.client));
        let heaviest = self.networks[network].holders.top()?;
        let account = heavier(&self.accounts, heaviest, own_account, incoming);
        self.accounts[account].pastes.oldest(&self.queues)
    }

    fn network(&self, hash: u64) -> Option<u32> {
        self.networks_by_hash
            .find(hash, |network| self.networks[network].hash == hash)
    }

    fn account(&self, network: u32, client: u64) -> Option<u32> {
        self.accounts_by_client.find(client, |account| {
            let account = &self.accounts[account];
            account.client == client && account.network == network
        })
    }

    fn open_network(&mut self, hash: u64, weight: usize) -> u32 {
        let network = self.networks.insert(Network {
            hash,
            weight,
            holders: Heap::EMPTY,
            knot: Knot::LOOSE,
        });
        self.networks_by_hash.insert(hash, network);
        self.by_weight.insert(&mut self.networks, network);
        network
    }

    /// Forgets a network that is in no heap any more.
    fn close_network(&mut self, network: u32) {
        let networks = &self.networks;
        let hash_of = |network: u32| networks[network].hash;
        let hash = hash_of(network);
        self.networks_by_hash.remove(hash, network, hash_of);
        self.networks.remove(network);
    }

    fn open_account(&mut self, network: u32, client: u64, weight: usize) -> u32 {
        let account = self.accounts.insert(Account {
            client,
            network,
            weight,
            pastes: Queue::EMPTY,
            knot: Knot::LOOSE,
        });
        self.accounts_by_client.insert(client, account);
        let holders = &mut self.networks[network].holders;
        holders.insert(&mut self.accounts, account);
        account
    }

    /// Forgets a holder that is in no heap any more.
    fn close_account(&mut self, account: u32) {
        let accounts = &self.accounts;
        let client_of = |account: u32| accounts[account].client;
        let client = client_of(account);
        self.accounts_by_client.remove(client, account, client_of);
        self.accounts.remove(account);
    }

    /// The first thing that is wrong with it, if anything is, given what is kept: slot, id and cost of each paste.
    pub(super) fn inconsistency(
        &self,
        kept: &HashMap<u32, (PasteId, usize)>,
    ) -> Option<&'static str> {
        let Some(networks) = self.by_weight.recount(&self.networks) else {
            return Some("the heap of networks is out of order");
        };
        let mut counted = (0, 0);
        for &number in &networks {
            let network = &self.networks[number];
            let Some(holders) = network.holders.recount(&self.accounts) else {
                return Some("the heap of a network's holders is out of order");
            };
            let mut weight = 0;
            for &holder in &holders {
                let account = &self.accounts[holder];
                let Some(pastes) = account.pastes.recount(&self.queues, holder) else {
                    return Some("the ring of a holder's pastes is broken");
                };
                let costs = pastes.iter().map(|(slot, id)| {
                    kept.get(slot)
                        .filter(|(kept, _)| kept == id)
                        .map(|(_, cost)| *cost)
                });
                if costs.sum::<Option<usize>>() != Some(account.weight) {
                    return Some("a holder does not weigh what its pastes cost");
                }
                if account.network != number || self.account(number, account.client) != Some(holder)
                {
                    return Some("a holder is not found, or in another network");
                }
                weight += account.weight;
                counted.1 += pastes.len();
            }
            counted.0 += holders.len();
            if weight != network.weight || self.network(network.hash) != Some(number) {
                return Some("a network does not weigh what its holders do, or is not found");
            }
        }
        let (holders, pastes) = counted;
        let is_all = pastes == kept.len()
            && pastes == self.queues.taken()
            && [holders, self.accounts_by_client.recount()] == [self.accounts.taken(); 2]
            && [networks.len(), self.networks_by_hash.recount()] == [self.networks.taken(); 2];
        (!is_all).then_some("somebody without a paste is still known")
    }
}

/// The heavier of the heaviest of a heap and the saver's own, which what comes in makes heavier.
fn heavier<T: Heaped + Chained>(
    all: &Slab<T>,
    heaviest: u32,
    own: Option<u32>,
    incoming: usize,
) -> u32 {
    let Some(own) = own else {
        return heaviest;
    };
    let (weight, hash) = all[own].greatness();
    if (weight + incoming, hash) > all[heaviest].greatness() {
        own
    } else {
        heaviest
    }
}

impl Heaped for Account {
    fn knot(&self) -> &Knot {
        &self.knot
    }

    fn knot_mut(&mut self) -> &mut Knot {
        &mut self.knot
    }

    fn greatness(&self) -> (usize, u64) {
        (self.weight, self.client)
    }
}

impl Heaped for Network {
    fn knot(&self) -> &Knot {
        &self.knot
    }

    fn knot_mut(&mut self) -> &mut Knot {
        &mut self.knot
    }

    fn greatness(&self) -> (usize, u64) {
        (self.weight, self.hash)
    }
}

impl Chained for Account {
    fn chain(&mut self) -> &mut u32 {
        self.knot.chain()
    }
}

impl Chained for Network {
    fn chain(&mut self) -> &mut u32 {
        self.knot.chain()
    }
}
