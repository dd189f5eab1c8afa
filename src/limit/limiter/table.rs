//! A table: what each client, or each network, used of the rules.
//!
//! Invariants: the memory never grows beyond its size, except for windows, of which an entry has at most one box. A key
//! has at most one entry. A charge is refunded only while its key has kept the entry without a break.
//! Eviction: an entry that is limited now is never evicted. Among the others in its set it is the one that is soonest
//! full, and the first of equals. A quota counts as if it came back evenly, so that more use means full later.
//! What an eviction forgets: an evicted client starts again with all its quotas. A client that has used most of a quota
//! is evicted only if the other seven of its set have used more of theirs, or are limited. Sets cannot be aimed at. So
//! a flooder needs about as many such clients as the table has entries, and a sixteenth as many networks, and that
//! frees the client once.
//! Shared entries: when all eight of a set are limited, a newcomer shares an entry with the other newcomers of its
//! network and of a few more networks. The alternative would be to deny it, or to free a limited client.
//! Cost: a look-up reads the tags and, except once in thirty-six, a single entry. With the default rules an entry takes
//! 81 bytes with its tag, and 16 more and its windows where there are quotas. The windows exist from the first charge
//! of a quota until the entry is evicted. All of it is virtual memory until clients come.

use std::time::Duration;

use super::bucket::Bucket;
use super::decision::{LimitDenied, StrictestDenial};
use super::entry::{EntryHeader, EntryRef, KEY_WORD};
use super::entry_layout::{EntryLayout, MAX_WORDS, PlacedRules};
use super::request::LimitRequest;
use super::tag_sets::TagSets;
use super::window::{Window, check_unused};
use crate::limit::policy::{Multiplier, Tier};

/// Entries that newcomers share while their sets are full of limited keys.
const SHARED: usize = 4096;

/// An unused entry.
const UNUSED: [u64; MAX_WORDS] = [0; MAX_WORDS];

/// The entries of one tier.
#[derive(Debug)]
pub(super) struct Table {
    tags: TagSets,
    /// The entries of all sets, followed by the shared ones.
    entries: Vec<u64>,
    /// What each entry used of the quotas, in the order of the layout.
    windows: Vec<Option<Box<[Window]>>>,
    /// Words of an entry.
    words: usize,
    tier: Tier,
    /// Entries that have a key.
    pub(super) used: usize,
    /// How often a newcomer took the entry of another key.
    pub(super) evicted: u64,
    /// How often a charge went to a shared entry.
    pub(super) shared: u64,
}

/// The entry of a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lookup {
    /// Its own entry, or the shared one that it has to use.
    Found(usize),
    /// The entry that it may claim, which is free or the next to be evicted.
    Vacant(usize),
}

impl Table {
    pub(super) fn new(layout: &EntryLayout, entries: usize, tier: Tier) -> Self {
        let tags = TagSets::new(entries);
        let words = layout.words();
        let all = tags.entries() + SHARED;
        Self {
            tags,
            entries: vec![0; all * words],
            windows: vec![None; if layout.quotas().is_empty() { 0 } else { all }],
            words,
            tier,
            used: 0,
            evicted: 0,
            shared: 0,
        }
    }

    /// The number of entries that are not shared.
    pub(super) fn size(&self) -> usize {
        self.tags.entries()
    }

    /// Finds the entry of a key without claiming one. `network` chooses the shared entry.
    #[inline]
    pub(super) fn look_up(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        key: u64,
        network: u64,
    ) -> Lookup {
        let key = nonzero(key);
        let found = self
            .tags
            .candidates(key)
            .find(|index| self.entry(Lookup::Found(*index))[KEY_WORD] == key);
        match found {
            Some(index) => Lookup::Found(index),
            None => self.look_up_newcomer(layout, now, key, network),
        }
    }

    #[cold]
    fn look_up_newcomer(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        key: u64,
        network: u64,
    ) -> Lookup {
        if let Some(index) = self.tags.free_entry(key) {
            return Lookup::Vacant(index);
        }
        let evictable = self
            .tags
            .entries_of(key)
            .filter_map(|index| Some((self.full_in(layout, now, index)?, index)));
        match evictable.min() {
            Some((_, index)) => Lookup::Vacant(index),
            None => {
                // The upper bits, as the lower ones choose the sets of networks.
                let shared = usize::try_from(network >> 52).expect("12 bits fit");
                Lookup::Found(self.size() + shared)
            }
        }
    }

    /// Nanoseconds until the entry is full at the latest; `None` if it is limited now.
    fn full_in(&mut self, layout: &EntryLayout, now: u64, index: usize) -> Option<u64> {
        let entry = self.entry(Lookup::Found(index));
        let multiplier = EntryHeader::read(entry).multiplier;
        let mut full_in = 0;
        for placed in layout.all().iter().flat_map(|rules| &rules.rates) {
            let rate = placed.scaled(self.tier, multiplier);
            let bucket = Bucket::read(entry, placed.word);
            if bucket.is_empty(now, &rate) {
                return None;
            }
            full_in = full_in.max(bucket.full_in(now, &rate));
        }
        let windows = self.windows.get_mut(index).and_then(Option::as_mut);
        for (window, quota) in windows.into_iter().flatten().zip(layout.quotas()) {
            let limit = quota.scaled_limit(self.tier, multiplier);
            full_in = full_in.max(window.full_in_unless_used_up(now, quota, limit)?);
        }
        Some(full_in)
    }

    /// Claims the entry for a key.
    #[inline]
    pub(super) fn claim(&mut self, lookup: Lookup, key: u64) -> EntryRef {
        let index = match lookup {
            Lookup::Found(index) => index,
            Lookup::Vacant(index) => {
                self.assign(index, nonzero(key));
                index
            }
        };
        self.shared += u64::from(index >= self.size());
        let generation = EntryHeader::read(self.entry(Lookup::Found(index))).generation;
        EntryRef { index, generation }
    }

    fn assign(&mut self, index: usize, key: u64) {
        match self.tags.assign(index, key) {
            true => self.evicted += 1,
            false => self.used += 1,
        }
        let entry = self.entry_mut(index);
        let generation = EntryHeader::read(entry).generation.wrapping_add(1);
        let multiplier = Multiplier::ONE;
        entry.fill(0);
        entry[KEY_WORD] = key;
        EntryHeader {
            generation,
            multiplier,
        }
        .write(entry);
        if let Some(windows) = self.windows.get_mut(index) {
            *windows = None;
        }
    }

    /// Returns how many nanoseconds a request has to wait by these rules, and reports each rule that denies it.
    #[inline]
    pub(super) fn judge(
        &mut self,
        rules: &PlacedRules,
        lookup: Lookup,
        now: u64,
        multiplier: Multiplier,
        request: &LimitRequest,
        denials: &mut StrictestDenial,
    ) -> u64 {
        let tier = self.tier;
        let mut deny = |rule, retry_after: Option<u64>| {
            denials.observe(LimitDenied {
                action: request.action,
                rule,
                tier,
                retry_after: retry_after.map(Duration::from_nanos),
            });
        };
        let mut longest_wait = 0;
        if request.requests > 0 {
            let entry = self.entry(lookup);
            for placed in &rules.rates {
                let rate = placed.scaled(tier, multiplier);
                match Bucket::read(entry, placed.word).wait_for_token(now, &rate) {
                    Ok(wait) => longest_wait = wait.max(longest_wait),
                    Err(retry_after) => deny(placed.rule, Some(retry_after)),
                }
            }
        }
        for placed in &rules.quotas {
            let quota = &placed.quota;
            let amount = request.amount(quota.unit());
            let limit = quota.scaled_limit(tier, multiplier);
            let verdict = match self.window(lookup, placed.window) {
                Some(window) => window.check(now, quota, limit, amount),
                None => check_unused(limit, amount),
            };
            if let Err(retry_after) = verdict {
                deny(placed.rule, retry_after);
            }
        }
        longest_wait
    }

    /// Charges the request, or what the rules have left of it.
    #[inline]
    pub(super) fn charge(
        &mut self,
        layout: &EntryLayout,
        entry: EntryRef,
        now: u64,
        multiplier: Multiplier,
        request: &LimitRequest,
    ) {
        let rules = layout.of(request.action);
        let (tier, EntryRef { index, generation }) = (self.tier, entry);
        let words = self.entry_mut(index);
        EntryHeader {
            generation,
            multiplier,
        }
        .write(words);
        if request.requests > 0 {
            for placed in &rules.rates {
                let rate = placed.scaled(tier, multiplier);
                let bucket = Bucket::read(words, placed.word).charge(now, &rate);
                bucket.write(words, placed.word);
            }
        }
        for placed in &rules.quotas {
            let amount = request.amount(placed.quota.unit());
            if amount > 0 {
                let limit = placed.quota.scaled_limit(tier, multiplier);
                let windows = self.windows[index].get_or_insert_with(|| {
                    let unused = |quota| Window::new(now, quota);
                    layout.quotas().iter().map(unused).collect()
                });
                windows[placed.window].charge(now, &placed.quota, limit, amount);
            }
        }
    }

    /// Refunds what was charged at `charged_at` and not used, unless the entry was evicted since. A refund to a shared
    /// entry is credited to all its keys, as the charge was theirs too.
    pub(super) fn refund(
        &mut self,
        rules: &PlacedRules,
        entry: EntryRef,
        [charged_at, now]: [u64; 2],
        multiplier: Multiplier,
        unused: &LimitRequest,
    ) {
        let (tier, index) = (self.tier, entry.index);
        let words = self.entry_mut(index);
        if EntryHeader::read(words).generation != entry.generation {
            return;
        }
        for placed in rules.rates.iter().filter(|_| unused.requests > 0) {
            let rate = placed.scaled(tier, multiplier);
            let bucket = Bucket::read(words, placed.word).refund(charged_at, now, &rate);
            bucket.write(words, placed.word);
        }
        for placed in &rules.quotas {
            if let Some(window) = self.window(Lookup::Found(index), placed.window) {
                let amount = unused.amount(placed.quota.unit());
                window.refund(charged_at, &placed.quota, amount);
            }
        }
    }

    pub(super) fn tier(&self) -> Tier {
        self.tier
    }

    /// The words of an entry; those of an unused one if it is not claimed yet.
    #[inline]
    pub(super) fn entry(&self, lookup: Lookup) -> &[u64] {
        match lookup {
            Lookup::Found(index) => &self.entries[index * self.words..][..self.words],
            Lookup::Vacant(_) => &UNUSED[..self.words],
        }
    }

    /// What was used of one quota; `None` if nothing ever was.
    pub(super) fn window(&mut self, lookup: Lookup, window: usize) -> Option<&mut Window> {
        match lookup {
            Lookup::Found(index) => Some(&mut self.windows[index].as_mut()?[window]),
            Lookup::Vacant(_) => None,
        }
    }

    fn entry_mut(&mut self, index: usize) -> &mut [u64] {
        &mut self.entries[index * self.words..][..self.words]
    }

    /// Bytes of virtual memory, without windows.
    pub(super) fn bytes(&self) -> usize {
        self.tags.bytes() + size_of_val(&*self.entries) + size_of_val(&*self.windows)
    }

    /// The keys that have an entry, in the order of the table; for tests.
    #[cfg(test)]
    pub(super) fn keys(&self) -> Vec<u64> {
        let keys = (0..self.size()).map(|index| self.entry(Lookup::Found(index))[KEY_WORD]);
        keys.filter(|key| *key != 0).collect()
    }

    /// Recounts; for tests.
    #[cfg(test)]
    pub(super) fn inconsistency(&self) -> Option<String> {
        let mut keys = std::collections::HashSet::new();
        for index in 0..self.size() {
            let key = self.entry(Lookup::Found(index))[KEY_WORD];
            let is_candidate = self.tags.candidates(key).any(|found| found == index);
            if self.tags.is_assigned(index) && !(is_candidate && keys.insert(key)) {
                return Some(format!("{key} is in entry {index}, or twice"));
            }
        }
        (keys.len() != self.used).then(|| format!("{} counted, {} found", self.used, keys.len()))
    }
}

/// The key as it is stored, as zero marks an entry without a key.
#[inline]
fn nonzero(key: u64) -> u64 {
    key.max(1)
}
