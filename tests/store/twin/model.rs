//! The naive twin: a list of pastes, the least recently used first, that is searched from end to end.

use std::cmp::Reverse;
use std::collections::HashMap;

use tidebin::fairness::ClientKey;
use tidebin::paste::{Access, Deadline, ReadsLeft, StoredPaste, Timestamp, Title};
use tidebin::store::{Reason, RemovalCounts, StoreError};

/// A paste of the twin.
#[derive(Debug, Clone)]
pub struct Known {
    pub key: u64,
    pub client: ClientKey,
    /// The number of its owner; zero for none.
    pub owner: u8,
    pub content: Vec<u8>,
    pub title: Option<Title>,
    pub deadline: Deadline,
    pub access: Access,
    pub reads: u32,
    /// How often it may still be read. `None` means that reads are not limited.
    pub left: Option<u8>,
    /// The bytes that it costs.
    pub cost: usize,
    /// The number of the step that saved it.
    pub saved: usize,
    /// The number of the step that set its deadline.
    pub dated: usize,
    /// The number of the step that made its version.
    pub revision: usize,
    /// What a client saw last, and the version of that.
    pub seen: Option<(usize, StoredPaste)>,
}

#[derive(Debug, Default)]
pub struct Model {
    pub stored: Vec<Known>,
    /// Why pastes are gone, and when their slugs are free again.
    pub gone: HashMap<u64, (Reason, u64)>,
    pub counts: RemovalCounts,
    pub steps: usize,
    /// When the store was started.
    pub started: Timestamp,
    /// How long after that the pastes that had expired before it are kept, in milliseconds.
    pub grace: u64,
    /// Whether the store forgets what has expired, as an engine does.
    pub forgets: bool,
}

/// Returns whether the pastes with this key have a slug.
pub fn has_slug(key: u64) -> bool {
    key.is_multiple_of(3)
}

impl Model {
    /// Returns why a paste cannot be saved under this key now, if that is so.
    pub fn taken(&self, now: Timestamp, key: u64) -> Option<StoreError> {
        let is_reserved = match self.gone.get(&key) {
            Some((_, until)) => !has_slug(key) || *until > now.as_millis(),
            None => false,
        };
        let is_stored = self.stored.iter().any(|known| known.key == key);
        (is_stored || is_reserved).then_some(StoreError::IdTaken)
    }

    /// Returns the position of a paste that can be read.
    pub fn find(&self, now: Timestamp, key: u64) -> Result<usize, StoreError> {
        match self.stored.iter().position(|known| known.key == key) {
            Some(at) if self.stored[at].deadline.has_passed(now) => {
                Err(StoreError::Gone(Reason::Expired))
            }
            Some(at) => Ok(at),
            None => match self.gone.get(&key) {
                Some((Reason::Expired, _)) if self.forgets => Err(StoreError::NotFound),
                Some((reason, _)) => Err(StoreError::Gone(*reason)),
                None => Err(StoreError::NotFound),
            },
        }
    }

    pub fn remove(&mut self, now: Timestamp, at: usize, reason: Reason) {
        let key = self.stored.remove(at).key;
        self.gone
            .insert(key, (reason, now.as_millis() + 86_400_000));
        let count = match reason {
            Reason::Expired => &mut self.counts.expired,
            Reason::Burned => &mut self.counts.burned,
            Reason::Deleted => &mut self.counts.deleted,
            Reason::RemovedByOperator => &mut self.counts.removed_by_operator,
            Reason::Evicted => &mut self.counts.evicted,
        };
        *count += 1;
    }

    /// Forgets what an engine has forgotten. It still knows which slugs are not free.
    pub fn forget(&mut self, now: Timestamp) {
        if self.forgets {
            let has_expired = |known: &mut Known| known.deadline.has_passed(now);
            for known in self.stored.extract_if(.., has_expired) {
                if has_slug(known.key) {
                    let ended = known.deadline.timestamp().expect("it has passed");
                    let free = ended.as_millis() + 86_400_000;
                    self.gone.insert(known.key, (Reason::Expired, free));
                }
            }
            self.gone.retain(|_, (_, until)| *until > now.as_millis());
        }
    }

    pub fn restart(&mut self, now: Timestamp) {
        self.started = now;
        self.counts = RemovalCounts::default();
    }

    /// Returns the next paste to sweep: the one that expired first. Among those of a second, the one whose deadline was
    /// set first.
    pub fn due(&self, now: Timestamp) -> Option<usize> {
        let is_kept = now.as_millis() < self.started.as_millis() + self.grace;
        let is_due = |at: &usize| {
            let deadline = self.stored[*at].deadline.timestamp();
            deadline.is_some_and(|it| it <= now && !(is_kept && it < self.started))
        };
        let due = (0..self.stored.len()).filter(is_due);
        due.min_by_key(|at| {
            (
                self.stored[*at].deadline.timestamp(),
                self.stored[*at].dated,
            )
        })
    }

    /// Removes this many pastes to make room for one of this client and this cost: what is due first, and then those
    /// of the rule.
    pub fn make_room(&mut self, now: Timestamp, client: ClientKey, cost: usize, count: u64) {
        for _ in 0..count {
            if let Some(at) = self.due(now) {
                self.remove(now, at, Reason::Expired);
                continue;
            }
            let at = self.next_victim(client, cost).expect("a paste is stored");
            let reason = match self.stored[at].deadline.has_passed(now) {
                true => Reason::Expired,
                false => Reason::Evicted,
            };
            self.remove(now, at, reason);
        }
    }

    /// Applies the rule directly: the heaviest client of the heaviest network loses its least recently used paste. The
    /// new paste counts for its client. Among equals, the one whose paste was unused for longer is chosen. A client
    /// without a paste is skipped.
    fn next_victim(&self, saver: ClientKey, incoming: usize) -> Option<usize> {
        let weight = |is_in: &dyn Fn(ClientKey) -> bool| {
            let held = self.stored.iter().filter(|known| is_in(known.client));
            let own = if is_in(saver) { incoming } else { 0 };
            held.map(|known| known.cost).sum::<usize>() + own
        };
        let clients = || self.stored.iter().map(|known| known.client);
        let oldest = |it: ClientKey| self.stored.iter().position(|known| known.client == it);
        let victim = |network: u64| {
            let within = clients().filter(|client| client.network == network);
            let order = |it: &ClientKey| (weight(&|key| key == *it), Reverse(oldest(*it)));
            within.max_by_key(order).and_then(oldest)
        };
        let networks = clients().map(|client| client.network);
        let order = |it: &u64| (weight(&|key| key.network == *it), Reverse(victim(*it)));
        networks.max_by_key(order).and_then(victim)
    }

    /// Makes the paste the most recently used one, and counts a read. Returns it.
    pub fn read(&mut self, at: usize) -> &mut Known {
        let mut known = self.stored.remove(at);
        known.reads += 1;
        known.left = known.left.map(|left| left - 1);
        self.stored.push(known);
        self.stored.last_mut().expect("it was pushed")
    }

    /// Returns the pastes of an owner that have not expired, the newest first.
    pub fn list(&self, now: Timestamp, owner: u8) -> Vec<&Known> {
        let mut listed: Vec<_> = self.stored.iter().collect();
        listed.retain(|known| known.owner == owner && !known.deadline.has_passed(now));
        listed.sort_by_key(|known| std::cmp::Reverse(known.saved));
        listed
    }
}

impl Known {
    pub fn new(key: u64, content: Vec<u8>, access: Access) -> Self {
        Self {
            key,
            content,
            access,
            left: access.reads_left().map(ReadsLeft::get),
            client: ClientKey {
                network: 0,
                client: 0,
            },
            owner: 0,
            title: None,
            deadline: Deadline::NEVER,
            reads: 0,
            cost: 0,
            saved: 0,
            dated: 0,
            revision: 0,
            seen: None,
        }
    }
}
