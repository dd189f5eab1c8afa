//! The naive twin of the store: everything in one list; `steps` holds the store to it.

use std::collections::{HashMap, HashSet};

use super::id;
use crate::fairness::ClientKey;
use crate::paste::{Access, Deadline, ReadsLeft, StoredPaste, Timestamp};
use crate::store::ledger::Ledger;
use crate::store::{InsertError, NotFound, Reason, RemovalCounts, cost_of};

/// A paste as the twin knows it.
pub(super) struct Known {
    pub(super) key: u64,
    pub(super) holder: ClientKey,
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
    pub(super) kept: Vec<Known>,
    pub(super) steps: usize,
    pub(super) gone: HashMap<u64, (Reason, usize)>,
    pub(super) burials: usize,
    pub(super) departures: RemovalCounts,
    /// The most pastes, holders and networks that there ever were at a time.
    pub(super) most: [usize; 3],
    pub(super) room: usize,
    pub(super) largest: usize,
}

impl Model {
    pub(super) fn used(&self) -> usize {
        let [pastes, holders, networks] = self.most;
        let ledger = pastes * Ledger::SLOT + holders * Ledger::HOLDER + networks * Ledger::NETWORK;
        self.weight(|_| true) + ledger
    }

    pub(super) fn weight(&self, of: impl Fn(ClientKey) -> bool) -> usize {
        let held = self.kept.iter().filter(|kept| of(kept.holder));
        held.map(|kept| kept.cost).sum()
    }

    pub(super) fn bury(&mut self, at: usize, reason: Reason) {
        let key = self.kept.remove(at).key;
        self.burials += 1;
        self.gone.insert(key, (reason, self.burials));
        match reason {
            Reason::Expired => self.departures.expired += 1,
            Reason::Burned => self.departures.burned += 1,
            Reason::Deleted => self.departures.deleted += 1,
            Reason::Evicted => self.departures.evicted += 1,
        }
    }

    pub(super) fn due(&self, now: Timestamp) -> Option<usize> {
        let due = (0..self.kept.len()).filter(|at| self.kept[*at].deadline.has_passed(now));
        due.min_by_key(|at| (self.kept[*at].deadline, id(self.kept[*at].key)))
    }

    /// The rule as it is written: the heaviest network, its heaviest holder, its least recently read paste; what comes
    /// in counts as its saver's, of equals the greater hash gives, who keeps nothing cannot.
    pub(super) fn next_to_give(&self, saver: ClientKey, incoming: usize) -> Option<usize> {
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
        let holders = || self.kept.iter().map(|kept| kept.holder);
        let network = holders()
            .map(|holder| holder.network)
            .max_by_key(|network| network_weight(*network))?;
        let within = holders().filter(|holder| holder.network == network);
        let holder = within.max_by_key(|holder| holder_weight(*holder))?;
        self.kept.iter().position(|kept| kept.holder == holder)
    }

    pub(super) fn make_room(&mut self, now: Timestamp, holder: ClientKey, cost: usize) {
        while self.used() + cost + Ledger::GROWTH > self.room {
            match self.due(now) {
                Some(at) => self.bury(at, Reason::Expired),
                None => {
                    let at = self.next_to_give(holder, cost).expect("something is kept");
                    self.bury(at, Reason::Evicted);
                }
            }
        }
    }

    /// Counts a read, and makes it its holder's newest.
    pub(super) fn read(&mut self, at: usize) {
        let mut known = self.kept.remove(at);
        known.reads += 1;
        known.left = known.left.map(|left| left - 1);
        self.kept.push(known);
    }

    /// What a client saw of it before, if any did.
    pub(super) fn seen(&self, key: u64) -> Option<StoredPaste> {
        let known = self.kept.iter().find(|known| known.key == key)?;
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
        let mut known = self.kept.remove(at);
        self.make_room(now, known.holder, cost);
        known.cost = cost;
        known.deadline = changed.deadline();
        if with_revision {
            known.revision = self.steps;
        }
        self.kept.push(known);
        true
    }

    pub(super) fn save(
        &mut self,
        now: Timestamp,
        holder: ClientKey,
        key: u64,
        paste: &StoredPaste,
    ) -> Result<(), InsertError> {
        let cost = cost_of(paste);
        if cost > self.largest {
            return Err(InsertError::TooLarge);
        }
        if self.kept.iter().any(|kept| kept.key == key) || self.gone.contains_key(&key) {
            return Err(InsertError::IdTaken);
        }
        self.make_room(now, holder, cost);
        self.kept.push(Known {
            key,
            holder,
            cost,
            deadline: paste.deadline(),
            reads: 0,
            left: paste.access().reads_left().map(ReadsLeft::get),
            is_open: paste.access() == Access::Open,
            revision: self.steps,
            seen: None,
        });
        let holders: HashSet<ClientKey> = self.kept.iter().map(|kept| kept.holder).collect();
        let networks: HashSet<u64> = holders.iter().map(|holder| holder.network).collect();
        let now = [self.kept.len(), holders.len(), networks.len()];
        self.most = [0, 1, 2].map(|at| self.most[at].max(now[at]));
        Ok(())
    }

    /// Where the paste is, or what may be said of its absence.
    pub(super) fn look(&self, now: Timestamp, key: u64) -> Result<usize, Option<(Reason, usize)>> {
        match self.kept.iter().position(|kept| kept.key == key) {
            Some(at) if self.kept[at].deadline.has_passed(now) => {
                Err(Some((Reason::Expired, self.burials)))
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
            (Some((_, burial)), NotFound::Unknown) => self.burials - burial >= 8,
            (None, answer) => answer == NotFound::Unknown,
        }
    }
}
