//! The ledger: how many bytes the pastes of each client cost, and which paste is evicted next.
//!
//! Rule: the heaviest client of the heaviest network loses its least recently read paste; see
//! [`FairShares::next_victim`].
//! Invariants: a client has an account exactly while it has a paste. Its share is the sum of the costs of its pastes.
//! [`Ledger::inconsistency`] checks both.
//! Cost: a read changes three links in a slab. An insertion or a removal changes the share of one client and of one
//! network, in O(log n). Memory for the slabs is reserved at the start. [`Ledger::bytes`] returns the memory that the
//! slabs and the shares use now.

mod rows;
mod slab;

use std::collections::HashMap;

use super::allocation::{tree_entry, tree_root};
use crate::fairness::{ClientKey, FairShares};
use crate::paste::PasteId;
use rows::{Queue, Rows};
use slab::Slab;

/// The account of a client that has pastes: the client and the queue of its pastes.
#[derive(Debug)]
struct Account {
    client: ClientKey,
    pastes: Queue,
}

/// The shares of all clients. Each share stores the number of its client's account.
type Shares = FairShares<u32>;

/// The pastes and shares of all clients.
#[derive(Debug)]
pub(super) struct Ledger {
    rows: Rows,
    accounts: Slab<Account>,
    shares: Shares,
}

impl Ledger {
    /// Bytes of the row of a paste. The memory of the row stays resident after the paste is removed.
    pub(super) const ROW: usize = Rows::ENTRY;

    /// Bytes of an account. Its memory stays resident after the last paste of the client is removed.
    pub(super) const ACCOUNT: usize = Slab::<Account>::ENTRY;

    /// Bytes of the share of a client. They are charged while the client has pastes.
    pub(super) const CLIENT: usize =
        tree_entry(Shares::CLIENT_ENTRIES[0]) + tree_entry(Shares::CLIENT_ENTRIES[1]);

    /// Bytes of the share of a network. They are charged while the network has pastes.
    pub(super) const NETWORK: usize =
        tree_entry(Shares::NETWORK_ENTRIES[0]) + tree_entry(Shares::NETWORK_ENTRIES[1]);

    /// Bytes of the roots of the trees. A root may be nearly empty, so it is charged on its own.
    pub(super) const ROOTS: usize = tree_root(Shares::CLIENT_ENTRIES[0])
        + tree_root(Shares::CLIENT_ENTRIES[1])
        + tree_root(Shares::NETWORK_ENTRIES[0])
        + tree_root(Shares::NETWORK_ENTRIES[1]);

    /// Maximum growth of [`Ledger::bytes`] when one paste is inserted.
    pub(super) const GROWTH: usize = Self::ROW + Self::ACCOUNT + Self::CLIENT + Self::NETWORK;

    /// Makes a ledger and reserves memory for at most this many pastes.
    pub(super) fn reserved_for(pastes: usize) -> Self {
        Self {
            rows: Slab::reserved_for(pastes),
            accounts: Slab::reserved_for(pastes),
            shares: FairShares::unlimited(),
        }
    }

    /// Returns the bytes that the ledger uses: every slab entry that was ever used, and the shares of the current
    /// clients.
    pub(super) fn bytes(&self) -> usize {
        self.rows.touched_bytes()
            + self.accounts.touched_bytes()
            + self.shares.client_count() * Self::CLIENT
            + self.shares.network_count() * Self::NETWORK
    }

    /// Inserts a paste of this cost as the most recently read paste of its client. Returns the paste's row.
    pub(super) fn insert(&mut self, client: ClientKey, id: PasteId, cost: usize) -> u32 {
        let accounts = &mut self.accounts;
        let pastes = Queue::EMPTY;
        let open = || accounts.insert(Account { client, pastes });
        let account = self.shares.add_with(client, cost as u64, open);
        let pastes = &mut self.accounts[account].pastes;
        pastes.push(&mut self.rows, account, id)
    }

    /// Returns the client whose paste is in this row.
    pub(super) fn client(&self, row: u32) -> ClientKey {
        self.accounts[self.rows[row].account()].client
    }

    /// Makes the paste in this row the most recently read paste of its client.
    pub(super) fn refresh(&mut self, row: u32) {
        let account = self.rows[row].account();
        let pastes = &mut self.accounts[account].pastes;
        pastes.refresh(&mut self.rows, row);
    }

    /// Removes the paste in this row. `cost` is the cost with which it was inserted.
    pub(super) fn remove(&mut self, row: u32, cost: usize) {
        let account = &mut self.accounts[self.rows[row].account()];
        account.pastes.remove(&mut self.rows, row);
        let client = account.client;
        if let Some(account) = self.shares.sub(client, cost as u64) {
            self.accounts.remove(account);
        }
    }

    /// Returns the paste to evict next, if `client` saves a paste of `incoming` bytes. Returns `None` if there is no
    /// paste.
    pub(super) fn next_victim(&self, client: ClientKey, incoming: usize) -> Option<PasteId> {
        let (_, account) = self.shares.next_victim(client, incoming as u64)?;
        self.accounts[account].pastes.oldest(&self.rows)
    }

    /// Compares the ledger with the stored pastes, given by row. Returns the first fault, or `None` if there is none.
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
