//! The ledger: how many bytes the pastes of each client cost, which paste is evicted next, which expires next, and why
//! a paste is gone.
//!
//! Rule: the heaviest client of the heaviest network loses its least recently read paste; see
//! [`FairShares::next_victim`]. Among equally heavy networks or clients, the paste goes that was unread for longest.
//! The ledger knows a paste by its row. A tier that keeps an entry of each paste in memory stores the row there. A tier
//! that does not adds an index from the id to the row.
//! Invariants: a client has an account exactly while it has a paste. Its share is the sum of the costs of its pastes. A
//! paste that expires is in the list of its second. The rank of a share is that of the client's oldest paste, or of an
//! earlier use of it. No id has both a row and a tombstone. [`Ledger::inconsistency`] checks all but the last, which
//! the caller guarantees.
//! Cost: at most 80 bytes per paste, and some for each client. A read changes at most four rows, and no share: a search
//! for a victim first brings the shares it meets to their places. An insertion or a removal also changes the share of
//! one client and of one network, in O(log n). Memory for the slabs and the tombstones is reserved at the start.
//! [`Ledger::charged`] returns all that is used now.

mod deadlines;
mod recount;
mod rows;
mod slab;
mod tombstones;

use super::allocation::{tree_entry, tree_root};
use super::{End, RemovalCounts};
use crate::fairness::{ClientKey, FairShares};
use crate::paste::{Deadline, PasteId, Timestamp};
use deadlines::Deadlines;
use rows::{BY_USE, List, Row, Rows};
use slab::{NONE, Slab, Slot};
use tombstones::Tombstones;

/// The account of a client that has pastes: the client and its pastes.
struct Account {
    client: ClientKey,
    pastes: List<BY_USE>,
    count: u32,
    /// When the latest of them was saved, in seconds since 1970, if that is known.
    saved: u32,
}

/// What a network holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// The number of its pastes.
    pub pastes: usize,
    /// The bytes that they are charged.
    pub bytes: usize,
    /// When the latest one was saved, in milliseconds since 1970: zero if that is not known.
    pub saved: u64,
}

impl Slot for Account {
    fn next_vacant(&mut self) -> &mut u32 {
        &mut self.pastes.first
    }
}

/// The shares of all clients. Each share has the number of its client's account, and the rank of the oldest paste of
/// the client; see [`Row::rank`].
type Shares = FairShares<u32>;

/// Maximum number of shares that one search for a victim brings to their places. Other threads may wait meanwhile.
const MOST_MOVED: usize = 64;

/// The pastes and shares of all clients.
pub(crate) struct Ledger {
    rows: Rows,
    accounts: Slab<Account>,
    shares: Shares,
    /// The number of the latest use of a paste.
    uses: u64,
    deadlines: Deadlines,
    /// Why the latest pastes were removed.
    pub(super) tombstones: Tombstones,
    /// How many pastes were removed since the start, by reason.
    pub(super) removal_counts: RemovalCounts,
}

impl Ledger {
    /// Bytes of the row of a paste. The memory of the row stays resident after the paste is removed.
    pub(super) const ROW: usize = size_of::<Row>();

    /// Bytes of an account. Its memory stays resident after the last paste of the client is removed.
    pub(super) const ACCOUNT: usize = size_of::<Account>();

    /// Bytes of a deadline. A paste that expires is charged for it as a part of its cost.
    pub(super) const DEADLINE: usize = Deadlines::ENTRY;

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
        + tree_root(Shares::NETWORK_ENTRIES[1])
        + Deadlines::ROOT;

    /// Maximum growth of [`Ledger::charged`] when one paste is inserted, in addition to the cost of the paste.
    pub(super) const GROWTH: usize = Self::ROW + Self::ACCOUNT + Self::CLIENT + Self::NETWORK;

    /// Makes a ledger and reserves memory for at most this many pastes, and these bytes of tombstones.
    pub(super) fn reserved_for(pastes: usize, tombstones: usize) -> Self {
        Self {
            rows: Slab::reserved_for(pastes),
            accounts: Slab::reserved_for(pastes),
            shares: FairShares::unlimited(),
            uses: 0,
            deadlines: Deadlines::default(),
            tombstones: Tombstones::within(tombstones),
            removal_counts: RemovalCounts::default(),
        }
    }

    /// Returns the costs of all pastes and the bytes of the ledger: every slab entry that was ever used, and the shares
    /// of the current clients.
    pub(super) fn charged(&self) -> usize {
        self.costs() + self.rows.touched_bytes() + self.bytes_of_clients()
    }

    /// Returns the number of pastes.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the costs of all pastes.
    pub(super) fn costs(&self) -> usize {
        usize::try_from(self.shares.total()).unwrap_or(usize::MAX)
    }

    /// Returns the bytes of every account that was ever used, and of the shares of the current clients.
    pub(super) fn bytes_of_clients(&self) -> usize {
        self.accounts.touched_bytes()
            + self.shares.client_count() * Self::CLIENT
            + self.shares.network_count() * Self::NETWORK
    }

    /// Returns the heaviest networks, at most this many.
    pub(super) fn heaviest(&self, most: usize) -> Vec<u64> {
        let accounts = self.shares.of_heaviest().take(most);
        let networks = accounts.map(|account| self.accounts[account].client.network);
        networks.collect()
    }

    /// Returns what a network holds. It visits each client of the network.
    pub(super) fn share(&self, network: u64) -> Share {
        let mut share = Share {
            bytes: usize::try_from(self.shares.of_network(network)).unwrap_or(usize::MAX),
            ..Share::default()
        };
        for account in self.shares.attached(network) {
            let Account { count, saved, .. } = self.accounts[account];
            share.pastes += count as usize;
            share.saved = share.saved.max(u64::from(saved) * 1000);
        }
        share
    }

    /// Returns the rows of a network's pastes, at most this many: those of the heaviest client first, and of each client
    /// the latest used first.
    pub(super) fn rows_of(&self, network: u64, most: usize) -> Vec<u32> {
        let lists = self
            .shares
            .attached(network)
            .map(|it| self.accounts[it].pastes);
        let rows = lists.flat_map(|pastes| pastes.latest_first(&self.rows));
        rows.take(most).collect()
    }

    /// Inserts a paste as the most recently read paste of its client. `saved` is when it was, or 1970 if that is not
    /// known. Returns its row.
    pub(super) fn insert(
        &mut self,
        client: ClientKey,
        id: PasteId,
        cost: usize,
        deadline: Deadline,
        saved: Timestamp,
    ) -> u32 {
        self.uses += 1;
        let (used, accounts) = (self.uses, &mut self.accounts);
        let new = Account {
            client,
            pastes: List::EMPTY,
            count: 0,
            saved: 0,
        };
        let open = || (!used, accounts.insert(new));
        let cost = u32::try_from(cost).expect("a paste has at most 1 GiB");
        let account = self.shares.add_ranked(client, cost.into(), open);
        let second = Deadlines::second_of(deadline);
        let row = Row::new(id, used, account, second, cost);
        let row = self.rows.insert(row);
        let account = &mut self.accounts[account];
        account.pastes.push(&mut self.rows, row);
        account.count += 1;
        let saved = u32::try_from(saved.as_millis() / 1000).unwrap_or(u32::MAX);
        account.saved = account.saved.max(saved);
        self.deadlines.insert(&mut self.rows, row);
        row
    }

    /// Returns the id of the paste in this row.
    pub(super) fn id(&self, row: u32) -> PasteId {
        self.rows[row].id()
    }

    /// Returns the cost of the paste in this row.
    pub(super) fn cost(&self, row: u32) -> usize {
        self.rows[row].cost as usize
    }

    /// Returns the start of the second in which the paste in this row is swept, as its deadline.
    pub(super) fn deadline(&self, row: u32) -> Deadline {
        match self.rows[row].second {
            NONE => Deadline::NEVER,
            second => Deadline::from_millis(u64::from(second) * 1000),
        }
    }

    /// Returns the client whose paste is in this row.
    pub(super) fn client(&self, row: u32) -> ClientKey {
        self.accounts[self.rows[row].account].client
    }

    /// Makes the paste in this row the most recently read paste of its client.
    pub(super) fn refresh(&mut self, row: u32) {
        self.uses += 1;
        self.rows[row].use_at(self.uses);
        let account = self.rows[row].account;
        let pastes = &mut self.accounts[account].pastes;
        pastes.refresh(&mut self.rows, row);
    }

    /// Counts the removal of a paste, and keeps its end in a tombstone.
    pub(super) fn bury(&mut self, id: PasteId, end: End) {
        self.tombstones.insert(id, end);
        *self.removal_counts.of(end.reason) += 1;
    }

    /// Removes the paste in this row, which the caller will insert again.
    pub(super) fn withdraw(&mut self, row: u32) {
        self.deadlines.remove(&mut self.rows, row);
        let Row { account, cost, .. } = self.rows[row];
        let owner = &mut self.accounts[account];
        owner.pastes.remove(&mut self.rows, row);
        owner.count -= 1;
        let rank = match owner.pastes.first {
            NONE => 0,
            first => self.rows[first].rank(),
        };
        if let Some(account) = self.shares.sub_ranked(owner.client, cost.into(), rank) {
            self.accounts.remove(account);
        }
        self.rows.remove(row);
    }

    /// Returns the paste to evict next, if `client` saves a paste of `incoming` bytes. Returns `None` if there is no
    /// paste, or if so many shares had to be moved that the caller has to search again.
    ///
    /// Reads make the oldest paste of a client a younger one, never an older one. So a share that is in its place, and
    /// comes first, comes first among the right places of all.
    pub(super) fn next_victim(&mut self, client: ClientKey, incoming: usize) -> Option<PasteId> {
        for _ in 0..MOST_MOVED {
            let (rank, account) = self.shares.next_victim(client, incoming as u64)?;
            let Account { client, pastes, .. } = &self.accounts[account];
            let oldest = &self.rows[pastes.first];
            if oldest.rank() == rank {
                return Some(oldest.id());
            }
            self.shares.sub_ranked(*client, 0, oldest.rank());
        }
        None
    }

    /// Returns a paste that has expired and is due to be swept, of those that expired since `from`.
    pub(super) fn next_expired(&self, from: Timestamp, now: Timestamp) -> Option<PasteId> {
        let row = self.deadlines.due_since(from, now)?;
        Some(self.rows[row].id())
    }

    /// Returns the number of pastes that have expired and are due to be swept. It visits each of them.
    pub(super) fn expired(&self, now: Timestamp) -> usize {
        self.deadlines.due(&self.rows, now)
    }

    /// Returns when the next paste is due to be swept: less than a second after its deadline.
    pub(super) fn next_sweep(&self) -> Option<Timestamp> {
        self.deadlines.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_takes_at_most_80_bytes_of_a_paste() {
        assert_eq!((Ledger::ROW, Ledger::DEADLINE), (44, 36));
    }
}
