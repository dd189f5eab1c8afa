//! The reference implementation of the store, which keeps everything in one list. `steps` compares the store with it.

use std::collections::{HashMap, HashSet};

use crate::fairness::ClientKey;
use crate::paste::{Access, Deadline, ReadsLeft, StoredPaste, Timestamp};
use crate::store::ledger::Ledger;
use crate::store::memory::cost_of;
use crate::store::{InsertError, NotFound, Reason, RemovalCounts};

/// A paste in the reference implementation.
pub(super) struct Known {
    pub(super) key: u64,
    pub(super) client: ClientKey,
    /// The number of its owner; zero for none.
    pub(super) owner: u8,
    /// The number of the step that saved it.
    pub(super) saved: usize,
    pub(super) cost: usize,
    pub(super) deadline: Deadline,
    /// The number of the step that set the deadline.
    pub(super) dated: usize,
    pub(super) reads: u32,
    /// The number of reads that are left. `None` means that reads are not limited.
    pub(super) left: Option<u8>,
    /// True if a GET counts as a read.
    pub(super) is_open: bool,
    /// The revision of the paste: the number of the step that made it.
    pub(super) revision: usize,
    /// The paste and the revision that a client saw last.
    pub(super) seen: Option<(usize, StoredPaste)>,
}

/// The reference implementation: all pastes in one list, the least recently read first.
pub(super) struct Model {
    pub(super) stored: Vec<Known>,
    pub(super) steps: usize,
    pub(super) gone: HashMap<u64, (Reason, usize)>,
    /// When the slugs whose pastes ended are free again.
    pub(super) reserved: HashMap<u64, u64>,
    pub(super) removals: usize,
    pub(super) removal_counts: RemovalCounts,
    /// The maximum number of pastes, and of clients with pastes, that ever existed at a time.
    pub(super) most: [usize; 2],
    pub(super) room: usize,
    pub(super) largest: usize,
}

impl Model {
    pub(super) fn used(&self) -> usize {
        let [pastes, clients] = self.most;
        let slabs = pastes * Ledger::ROW + clients * Ledger::ACCOUNT;
        let [clients, networks] = self.client_counts();
        let shares = clients * Ledger::CLIENT + networks * Ledger::NETWORK;
        self.weight(|_| true) + slabs + shares
    }

    /// Returns how many clients and networks have a paste.
    fn client_counts(&self) -> [usize; 2] {
        let clients: HashSet<ClientKey> = self.stored.iter().map(|known| known.client).collect();
        let networks: HashSet<u64> = clients.iter().map(|client| client.network).collect();
        [clients.len(), networks.len()]
    }

    pub(super) fn weight(&self, of: impl Fn(ClientKey) -> bool) -> usize {
        let held = self.stored.iter().filter(|known| of(known.client));
        held.map(|known| known.cost).sum()
    }

    pub(super) fn remove(&mut self, now: Timestamp, at: usize, reason: Reason) {
        let key = self.stored.remove(at).key;
        self.reserved.insert(key, now.as_millis() + 86_400_000);
        self.removals += 1;
        self.gone.insert(key, (reason, self.removals));
        match reason {
            Reason::Expired => self.removal_counts.expired += 1,
            Reason::Burned => self.removal_counts.burned += 1,
            Reason::Deleted => self.removal_counts.deleted += 1,
            Reason::RemovedByOperator => self.removal_counts.removed_by_operator += 1,
            Reason::Evicted => self.removal_counts.evicted += 1,
        }
    }

    /// Returns the next paste to sweep. A paste is swept in the first second that begins at its deadline or after it.
    /// Among the pastes of a second, the one whose deadline was set first is swept first.
    pub(super) fn due(&self, now: Timestamp) -> Option<usize> {
        let second = |at: &usize| {
            let deadline = self.stored[*at].deadline.timestamp()?;
            Some(deadline.as_millis().div_ceil(1000))
        };
        let is_due = |at: &usize| second(at).is_some_and(|second| second * 1000 <= now.as_millis());
        let due = (0..self.stored.len()).filter(is_due);
        due.min_by_key(|at| (second(at), self.stored[*at].dated))
    }

    /// Applies the rule directly: the heaviest client of the heaviest network loses its least recently read paste. The
    /// new paste counts for the saver. Among equals, the one with the greater hash is chosen. A client without a paste
    /// is skipped.
    pub(super) fn next_victim(&self, saver: ClientKey, incoming: usize) -> Option<usize> {
        let network_weight = |network: u64| {
            let own = if network == saver.network {
                incoming
            } else {
                0
            };
            (
                self.weight(|client| client.network == network) + own,
                network,
            )
        };
        let client_weight = |given: ClientKey| {
            let own = if given == saver { incoming } else { 0 };
            (self.weight(|client| client == given) + own, given.client)
        };
        let clients = || self.stored.iter().map(|known| known.client);
        let network = clients()
            .map(|client| client.network)
            .max_by_key(|network| network_weight(*network))?;
        let within = clients().filter(|client| client.network == network);
        let client = within.max_by_key(|client| client_weight(*client))?;
        self.stored.iter().position(|known| known.client == client)
    }

    pub(super) fn make_room(&mut self, now: Timestamp, client: ClientKey, cost: usize) {
        while self.used() + cost + Ledger::GROWTH > self.room {
            match self.due(now) {
                Some(at) => self.remove(now, at, Reason::Expired),
                None => {
                    let at = self.next_victim(client, cost).expect("something is kept");
                    let reason = match self.stored[at].deadline.has_passed(now) {
                        true => Reason::Expired,
                        false => Reason::Evicted,
                    };
                    self.remove(now, at, reason);
                }
            }
        }
    }

    /// Counts a read and makes the paste the newest of its client.
    pub(super) fn read(&mut self, at: usize) {
        let mut known = self.stored.remove(at);
        known.reads += 1;
        known.left = known.left.map(|left| left - 1);
        self.stored.push(known);
    }

    /// Returns the paste as a client saw it before, or `None` if no client did.
    pub(super) fn seen(&self, key: u64) -> Option<StoredPaste> {
        let known = self.stored.iter().find(|known| known.key == key)?;
        known.seen.as_ref().map(|(_, seen)| seen.clone())
    }

    /// Removes the paste and inserts the changed one for the same client. Returns true if it fits.
    pub(super) fn change(
        &mut self,
        now: Timestamp,
        at: usize,
        changed: &StoredPaste,
        with_revision: bool,
    ) -> bool {
        let cost = cost_of(changed);
        if cost > self.largest {
            return false;
        }
        let mut known = self.stored.remove(at);
        self.make_room(now, known.client, cost);
        known.cost = cost;
        known.deadline = changed.deadline();
        known.dated = self.steps;
        if with_revision {
            known.revision = self.steps;
        }
        self.stored.push(known);
        true
    }

    pub(super) fn save(
        &mut self,
        now: Timestamp,
        client: ClientKey,
        owner: u8,
        (key, is_slug): (u64, bool),
        paste: &StoredPaste,
    ) -> Result<(), InsertError> {
        let cost = cost_of(paste);
        if cost > self.largest {
            return Err(InsertError::TooLarge);
        }
        let until = self.reserved.get(&key).copied().unwrap_or(0);
        let is_reserved = match is_slug {
            true => until > now.as_millis(),
            false => self.gone.contains_key(&key),
        };
        if is_reserved || self.stored.iter().any(|known| known.key == key) {
            return Err(InsertError::IdTaken);
        }
        self.make_room(now, client, cost);
        self.gone.remove(&key);
        self.stored.push(Known {
            key,
            client,
            owner,
            saved: self.steps,
            cost,
            deadline: paste.deadline(),
            dated: self.steps,
            reads: 0,
            left: paste.access().reads_left().map(ReadsLeft::get),
            is_open: paste.access() == Access::Open,
            revision: self.steps,
            seen: None,
        });
        let [clients, _] = self.client_counts();
        self.most = [
            self.most[0].max(self.stored.len()),
            self.most[1].max(clients),
        ];
        Ok(())
    }

    /// Returns the keys of an owner's pastes that have not expired, the newest first.
    pub(super) fn list(&self, now: Timestamp, owner: u8) -> Vec<u64> {
        let mut listed: Vec<&Known> = self.stored.iter().collect();
        listed.retain(|known| known.owner == owner && !known.deadline.has_passed(now));
        listed.sort_by_key(|known| std::cmp::Reverse(known.saved));
        listed.into_iter().map(|known| known.key).collect()
    }

    /// Returns the position of the paste. The error is `None` if the paste never existed. Otherwise it has the reason
    /// of the removal and the number of removals up to then.
    pub(super) fn find(&self, now: Timestamp, key: u64) -> Result<usize, Option<(Reason, usize)>> {
        match self.stored.iter().position(|known| known.key == key) {
            Some(at) if self.stored[at].deadline.has_passed(now) => {
                Err(Some((Reason::Expired, self.removals)))
            }
            Some(at) => Ok(at),
            None => Err(self.gone.get(&key).copied()),
        }
    }

    /// Returns true if the store's error for a missing paste is right. A tombstone may be overwritten, but only after
    /// eight younger ones.
    pub(super) fn agrees(&self, expected: Option<(Reason, usize)>, answer: NotFound) -> bool {
        match (expected, answer) {
            (Some((reason, _)), NotFound::Gone(told)) => reason == told,
            (Some((_, removal)), NotFound::Unknown) => self.removals - removal >= 8,
            (None, answer) => answer == NotFound::Unknown,
        }
    }
}
