//! The ledger: how much of the store each client holds, and whose paste is the next to make room.
//!
//! Rule: the heaviest network gives, in it the heaviest client, of that the least recently read paste; see
//! [`FairShares::next_to_give`].
//! Invariants: a client has an account exactly while it has a paste. Its share is what its pastes cost.
//! [`Ledger::inconsistency`] recounts.
//! Cost: a read moves three links of a slab. An insertion or removal changes the share of one client and of one network,
//! O(log n). Slabs are reserved at the start; [`Ledger::bytes`] is what they and the shares take by now.

mod rows;
mod slab;

use std::collections::HashMap;

use super::allocation::{tree_entry, tree_root};
use crate::fairness::{ClientKey, FairShares};
use crate::paste::PasteId;
use rows::{Queue, Rows};
use slab::Slab;

/// A client that has pastes.
#[derive(Debug)]
struct Account {
    client: ClientKey,
    pastes: Queue,
}

/// The number of an account, attached to the share of its client.
type Shares = FairShares<u32>;

/// What all clients hold.
#[derive(Debug)]
pub(super) struct Ledger {
    rows: Rows,
    accounts: Slab<Account>,
    shares: Shares,
}

impl Ledger {
    /// Bytes of the row of a paste. The row stays resident when the paste is removed.
    pub(super) const ROW: usize = Rows::ENTRY;

    /// Bytes of an account. It stays resident when the client has no pastes any more.
    pub(super) const ACCOUNT: usize = Slab::<Account>::ENTRY;

    /// Bytes of the share of a client, as long as it has pastes.
    pub(super) const CLIENT: usize =
        tree_entry(Shares::CLIENT_ENTRIES[0]) + tree_entry(Shares::CLIENT_ENTRIES[1]);

    /// Bytes of the share of a network, as long as it has pastes.
    pub(super) const NETWORK: usize =
        tree_entry(Shares::NETWORK_ENTRIES[0]) + tree_entry(Shares::NETWORK_ENTRIES[1]);

    /// Bytes of the roots of the trees, which may be nearly empty.
    pub(super) const ROOTS: usize = tree_root(Shares::CLIENT_ENTRIES[0])
        + tree_root(Shares::CLIENT_ENTRIES[1])
        + tree_root(Shares::NETWORK_ENTRIES[0])
        + tree_root(Shares::NETWORK_ENTRIES[1]);

    /// The most that [`Ledger::bytes`] can grow by one paste more.
    pub(super) const GROWTH: usize = Self::ROW + Self::ACCOUNT + Self::CLIENT + Self::NETWORK;

    /// A ledger of at most this many pastes.
    pub(super) fn reserved_for(pastes: usize) -> Self {
        Self {
            rows: Slab::reserved_for(pastes),
            accounts: Slab::reserved_for(pastes),
            shares: FairShares::unlimited(),
        }
    }

    /// Bytes that it takes: all of the slabs that was ever used, and the shares of today's clients.
    pub(super) fn bytes(&self) -> usize {
        self.rows.touched_bytes()
            + self.accounts.touched_bytes()
            + self.shares.client_count() * Self::CLIENT
            + self.shares.network_count() * Self::NETWORK
    }

    /// Inserts a paste of this cost as the newest of its client. Returns its row.
    pub(super) fn insert(&mut self, client: ClientKey, id: PasteId, cost: usize) -> u32 {
        let accounts = &mut self.accounts;
        let pastes = Queue::EMPTY;
        let open = || accounts.insert(Account { client, pastes });
        let account = self.shares.add_with(client, cost as u64, open);
        let pastes = &mut self.accounts[account].pastes;
        pastes.push(&mut self.rows, account, id)
    }

    /// The client whose paste is in this row.
    pub(super) fn client(&self, row: u32) -> ClientKey {
        self.accounts[self.rows[row].account()].client
    }

    /// Makes the paste in this row the newest of its client.
    pub(super) fn refresh(&mut self, row: u32) {
        let account = self.rows[row].account();
        let pastes = &mut self.accounts[account].pastes;
        pastes.refresh(&mut self.rows, row);
    }

    /// Removes the paste in this row, which has this cost.
    pub(super) fn remove(&mut self, row: u32, cost: usize) {
        let account = &mut self.accounts[self.rows[row].account()];
        account.pastes.remove(&mut self.rows, row);
        let client = account.client;
        if let Some(account) = self.shares.sub(client, cost as u64) {
            self.accounts.remove(account);
        }
    }

    /// The paste that makes room next for what this client brings. Returns `None` if there is no paste.
    pub(super) fn next_victim(&self, client: ClientKey, incoming: usize) -> Option<PasteId> {
        let (_, account) = self.shares.next_to_give(client, incoming as u64)?;
        self.accounts[account].pastes.oldest(&self.rows)
    }

    /// The first fault found, given the row, id and cost of every stored paste.
    pub(super) fn inconsistency(
        &self,
        stored: &HashMap<u32, (PasteId, usize)>,
    ) -> Option<&'static str> {
        let (mut clients, mut pastes) = (0, 0);
        for (client, weight, number) in self.shares.all() {
            let account = &self.accounts[number];
            if account.client != client {
                return Some("a share is attached to the account of another client");
            }
            let Some(rows) = account.pastes.recount(&self.rows, number) else {
                return Some("the ring of a client's pastes is broken");
            };
            let costs = rows.iter().map(|(row, id)| {
                let stored = stored.get(row).filter(|(stored, _)| stored == id)?;
                Some(stored.1 as u64)
            });
            if costs.sum::<Option<u64>>() != Some(weight) {
                return Some("a client does not hold what its pastes cost");
            }
            clients += 1;
            pastes += rows.len();
        }
        if pastes != stored.len() || pastes != self.rows.len() {
            return Some("a paste has no row, or a row no paste");
        }
        (clients != self.accounts.len()).then_some("a client without a paste has an account")
    }
}
