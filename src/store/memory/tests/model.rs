//! The naive twin of the store: everything in one list; `steps` holds the store to it.

use std::collections::{HashMap, HashSet};

use super::id;
use crate::fairness::ClientKey;
use crate::paste::{Access, Deadline, ReadsLeft, StoredPaste, Timestamp};
use crate::store::memory::ledger::Ledger;
use crate::store::{InsertError, NotFound, Reason, RemovalCounts, cost_of};

/// A paste as the twin knows it.
pub(super) struct Known {
    pub(super) key: u64,
    pub(super) client: ClientKey,
    pub(super) cost: usize,
    pub(super) deadline: Deadline,
    pub(super) reads: u32,
    /// Reads left; none if they are not counted.
    pub(super) left: Option<u8>,
    /// Whether to look at it is to read it.
    pub(super) is_open: bool,
    /// Which revision it has, by the number of the step that brought it.
    pub(super) revision: usize,
    /// What a client looked at last, and which revision that was.
    pub(super) seen: Option<(usize, StoredPaste)>,
}

/// The twin: everything in one list, least recently used first.
pub(super) struct Model {
    pub(super) stored: Vec<Known>,
    pub(super) steps: usize,
    pub(super) gone: HashMap<u64, (Reason, usize)>,
    pub(super) removals: usize,
    pub(super) removal_counts: RemovalCounts,
    /// The most pastes and clients with pastes that there ever were at a time.
    pub(super) most: [usize; 2],
    pub(super) room: usize,
    pub(super) largest: usize,
}

impl Model {
    pub(super) fn used(&self) -> usize {
        let [pastes, clients] = self.most;
        let slabs = pastes * Ledger::ROW + clients * Ledger::ACCOUNT;
        let [clients, networks] = self.holders();
        let shares = clients * Ledger::CLIENT + networks * Ledger::NETWORK;
        self.weight(|_| true) + slabs + shares
    }

    /// How many clients and networks have a paste.
    fn holders(&self) -> [usize; 2] {
        let clients: HashSet<ClientKey> = self.stored.iter().map(|known| known.client).collect();
        let networks: HashSet<u64> = clients.iter().map(|client| client.network).collect();
        [clients.len(), networks.len()]
    }

    pub(super) fn weight(&self, of: impl Fn(ClientKey) -> bool) -> usize {
        let held = self.stored.iter().filter(|known| of(known.client));
        held.map(|known| known.cost).sum()
    }

    pub(super) fn remove(&mut self, at: usize, reason: Reason) {
        let key = self.stored.remove(at).key;
        self.removals += 1;
        self.gone.insert(key, (reason, self.removals));
        match reason {
            Reason::Expired => self.removal_counts.expired += 1,
            Reason::Burned => self.removal_counts.burned += 1,
            Reason::Deleted => self.removal_counts.deleted += 1,
            Reason::Evicted => self.removal_counts.evicted += 1,
        }
    }

    pub(super) fn due(&self, now: Timestamp) -> Option<usize> {
        let due = (0..self.stored.len()).filter(|at| self.stored[*at].deadline.has_passed(now));
        due.min_by_key(|at| (self.stored[*at].deadline, id(self.stored[*at].key)))
    }

    /// The rule as it is written: the heaviest network, its heaviest holder, its least recently read paste; what comes
    /// in counts as its saver's, of equals the greater hash gives, who keeps nothing cannot.
    pub(super) fn next_victim(&self, saver: ClientKey, incoming: usize) -> Option<usize> {
        let network_weight = |network: u64| {
            let own = if network == saver.network {
                incoming
            } else {
                0
            };
            (
                self.weight(|holder| holder.network == network) + own,
                network,
            )
        };
        let holder_weight = |given: ClientKey| {
            let own = if given == saver { incoming } else { 0 };
            (self.weight(|holder| holder == given) + own, given.client)
        };
        let holders = || self.stored.iter().map(|known| known.client);
        let network = holders()
            .map(|holder| holder.network)
            .max_by_key(|network| network_weight(*network))?;
        let within = holders().filter(|holder| holder.network == network);
        let holder = within.max_by_key(|holder| holder_weight(*holder))?;
        self.stored.iter().position(|known| known.client == holder)
    }

    pub(super) fn make_room(&mut self, now: Timestamp, client: ClientKey, cost: usize) {
        while self.used() + cost + Ledger::GROWTH > self.room {
            match self.due(now) {
                Some(at) => self.remove(at, Reason::Expired),
                None => {
                    let at = self.next_victim(client, cost).expect("something is kept");
                    self.remove(at, Reason::Evicted);
                }
            }
        }
    }

    /// Counts a read, and makes it its holder's newest.
    pub(super) fn read(&mut self, at: usize) {
        let mut known = self.stored.remove(at);
        known.reads += 1;
        known.left = known.left.map(|left| left - 1);
        self.stored.push(known);
    }

    /// What a client saw of it before, if any did.
    pub(super) fn seen(&self, key: u64) -> Option<StoredPaste> {
        let known = self.stored.iter().find(|known| known.key == key)?;
        known.seen.as_ref().map(|(_, seen)| seen.clone())
    }

    /// As if it were saved anew, by whom it was saved, while it is not there.
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
        key: u64,
        paste: &StoredPaste,
    ) -> Result<(), InsertError> {
        let cost = cost_of(paste);
        if cost > self.largest {
            return Err(InsertError::TooLarge);
        }
        if self.stored.iter().any(|known| known.key == key) || self.gone.contains_key(&key) {
            return Err(InsertError::IdTaken);
        }
        self.make_room(now, client, cost);
        self.stored.push(Known {
            key,
            client,
            cost,
            deadline: paste.deadline(),
            reads: 0,
            left: paste.access().reads_left().map(ReadsLeft::get),
            is_open: paste.access() == Access::Open,
            revision: self.steps,
            seen: None,
        });
        let [clients, _] = self.holders();
        self.most = [
            self.most[0].max(self.stored.len()),
            self.most[1].max(clients),
        ];
        Ok(())
    }

    /// Where the paste is, or what may be said of its absence.
    pub(super) fn find(&self, now: Timestamp, key: u64) -> Result<usize, Option<(Reason, usize)>> {
        match self.stored.iter().position(|known| known.key == key) {
            Some(at) if self.stored[at].deadline.has_passed(now) => {
                Err(Some((Reason::Expired, self.removals)))
            }
            Some(at) => Ok(at),
            None => Err(self.gone.get(&key).copied()),
        }
    }

    /// Whether the store's answer for an absent paste is right: a tombstone may be forgotten, but only after eight
    /// younger ones.
    pub(super) fn agrees(&self, expected: Option<(Reason, usize)>, answer: NotFound) -> bool {
        match (expected, answer) {
            (Some((reason, _)), NotFound::Gone(told)) => reason == told,
            (Some((_, removal)), NotFound::Unknown) => self.removals - removal >= 8,
            (None, answer) => answer == NotFound::Unknown,
        }
    }
}
