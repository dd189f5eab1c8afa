//! Tracking: what this node knows about the entries in the engine, and what it has to tell the engine.
//!
//! Invariants: at most [`MAX_TRACKED`] entries are tracked. The entry that was used longest ago makes room, unless it
//! has pending charges. Pending charges do not depend on the table, so an eviction there loses none. If all tracked
//! entries have pending charges, a further entry is limited by this node alone.
//! Cost: one look-up for each charge and tier.

use std::hash::Hasher;
use std::sync::Arc;

use linked_hash_map::LinkedHashMap;
use siphasher::sip::SipHasher13;
use tokio::sync::Notify;

use super::pending::{Change, Pending};
use crate::limit::limiter::entry::EntryRef;
use crate::limit::limiter::request::Subject;
use crate::limit::policy::{Action, Multiplier, RulesByAction, Tier};

/// The maximum number of tracked entries.
pub(super) const MAX_TRACKED: usize = 8192;

/// The engine is not asked for this long after it failed, in nanoseconds.
const REST: u64 = 200_000_000;

/// The tier of an entry and its key in the table of that tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct EntryId {
    pub(super) tier: Tier,
    pub(super) key: u64,
}

/// How soon the pending charges of an entry are settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Listed {
    #[default]
    No,
    /// They are settled at the next tick.
    Later,
    /// They are settled at once.
    Now,
}

/// What this node knows about one entry in the engine.
pub(super) struct Tracked {
    /// The network of the client, by which the engine places the entry.
    pub(super) network: u64,
    /// The multiplier of the client that was charged last.
    pub(super) multiplier: Multiplier,
    pub(super) pending: Pending,
    /// The version last seen in the engine. Zero if none was seen.
    pub(super) version: u64,
    /// The entry of the table that equals that version with the pending charges applied.
    pub(super) local: Option<EntryRef>,
    /// The number of the call that saw it. See [`Tracking::next_event`].
    pub(super) seen_by: u64,
    /// The time of that call in nanoseconds.
    pub(super) seen_at: u64,
    listed: Listed,
}

impl Tracked {
    /// Adds a change of this entry of the table to the pending charges.
    pub(super) fn add_pending(&mut self, entry: EntryRef, change: Change<'_>) {
        if self.local != Some(entry) {
            // The key was evicted meanwhile, or the charge is older than that. If charges are pending, no entry of the
            // table contains them all.
            let is_first = self.pending.is_empty();
            (self.local, self.version) = (is_first.then_some(entry), 0);
        }
        match change {
            Change::Charge(request) => self.pending.charge(request),
            Change::Refund(unused, charged_at) => self.pending.refund(unused, charged_at),
        }
    }
}

/// All tracked entries.
pub(in crate::limit::limiter) struct Tracking {
    /// In the order of use.
    entries: LinkedHashMap<EntryId, Tracked>,
    later: Vec<EntryId>,
    now: Vec<EntryId>,
    events: u64,
    /// The engine failed, and is asked again at this time.
    rests_until: Option<u64>,
    due: Arc<Notify>,
    rules: u64,
    /// Counts the entries of the engine that did not parse.
    pub(in crate::limit::limiter) unreadable: u64,
}

impl Tracking {
    pub(in crate::limit::limiter) fn new(rules: &RulesByAction, due: Arc<Notify>) -> Self {
        let mut hasher = SipHasher13::new();
        for action in Action::ALL {
            hasher.write(format!("{action:?}: {}\n", rules.of(action)).as_bytes());
        }
        Self {
            entries: LinkedHashMap::new(),
            later: Vec::new(),
            now: Vec::new(),
            events: 0,
            rests_until: None,
            due,
            rules: hasher.finish(),
            unreadable: 0,
        }
    }

    /// Returns the key of an entry in the engine. Nodes with other rules use other keys.
    pub(super) fn engine_key(&self, id: EntryId) -> u64 {
        SipHasher13::new_with_keys(self.rules, id.tier as u64).hash(&id.key.to_le_bytes())
    }

    /// Returns the tracked entry, and marks it as just used. Returns `None` if there is no room for it.
    pub(super) fn track(&mut self, id: EntryId, subject: Subject) -> Option<&mut Tracked> {
        if !self.entries.contains_key(&id) {
            if self.entries.len() >= MAX_TRACKED {
                let (_, oldest) = self.entries.front()?;
                if !oldest.pending.is_empty() {
                    return None;
                }
                self.entries.pop_front();
            }
            let unknown = Tracked {
                network: subject.client.network,
                multiplier: subject.multiplier,
                pending: Pending::default(),
                version: 0,
                local: None,
                seen_by: 0,
                seen_at: 0,
                listed: Listed::No,
            };
            self.entries.insert(id, unknown);
        }
        let tracked = self.entries.get_refresh(&id)?;
        tracked.multiplier = subject.multiplier;
        Some(tracked)
    }

    pub(super) fn get(&self, id: EntryId) -> Option<&Tracked> {
        self.entries.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: EntryId) -> Option<&mut Tracked> {
        self.entries.get_mut(&id)
    }

    /// Lists an entry to be settled. If it is due, the settling task is woken.
    pub(super) fn list(&mut self, id: EntryId, is_due: bool) {
        let Some(tracked) = self.entries.get_mut(&id) else {
            return;
        };
        match (tracked.listed, is_due) {
            (Listed::No, false) => {
                tracked.listed = Listed::Later;
                self.later.push(id);
            }
            (Listed::No | Listed::Later, true) => {
                tracked.listed = Listed::Now;
                self.now.push(id);
                self.due.notify_one();
            }
            _ => {}
        }
    }

    /// Takes the entries to settle, with their networks: those that are due, or all.
    pub(super) fn take_listed(&mut self, all: bool) -> Vec<(u64, EntryId)> {
        let mut ids = std::mem::take(&mut self.now);
        if all {
            ids.append(&mut self.later);
        }
        let mut taken = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(tracked) = self.entries.get_mut(&id) else {
                continue;
            };
            // An entry that became due is in both lists.
            let was_listed = std::mem::take(&mut tracked.listed) != Listed::No;
            if was_listed && !tracked.pending.is_empty() {
                taken.push((tracked.network, id));
            }
        }
        taken
    }

    /// Returns the number of the next event. A call that started after a request has a higher number.
    pub(in crate::limit::limiter) fn next_event(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// Returns whether the engine may be asked. After a failure, one call may ask again after a rest.
    pub(super) fn may_ask(&mut self, now: u64) -> bool {
        match &mut self.rests_until {
            None => true,
            Some(until) if now >= *until => {
                *until = now.saturating_add(REST);
                true
            }
            Some(_) => false,
        }
    }

    pub(super) fn answered(&mut self) {
        self.rests_until = None;
    }

    pub(super) fn failed(&mut self, now: u64) {
        self.rests_until = Some(now.saturating_add(REST));
    }
}
