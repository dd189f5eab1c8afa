//! A table. It records how much each client, or each network, has used of each rule.
//!
//! Invariants: The number of entries is fixed. Only the windows are allocated later, at most one box for each entry. A
//! key has at most one entry. A charge is refunded only if its key has kept the entry since.
//! Eviction: An entry that is limited now is never evicted. An entry is full when all its limits are unused again.
//! Among the other entries of the set, the one that is full soonest is evicted. If several are full at the same time,
//! the first of them is evicted. A quota is assumed to refill at an even rate, so an entry that used more is full
//! later.
//! The effect of an eviction: An evicted client starts again with unused quotas. A client that has used most of a quota
//! is evicted only if the other seven entries of its set have used more, or are limited. No client can choose its set.
//! So an attacker needs about as many such clients as the table has entries, in a sixteenth as many networks. This
//! effort resets the limits of one client once.
//! Shared entries: If all eight entries of a set are limited, a new key uses a shared entry. Other new keys of its
//! network and of a few more networks use the same one. The alternative would be to deny the new key, or to evict a
//! limited one.
//! Cost: A look-up reads the tags and one entry. In one case of thirty-six it reads a second entry. With the default
//! rules an entry takes 81 bytes with its tag. If there are quotas, an entry takes 16 bytes more, in addition to its
//! windows. The windows exist from the first charge of a quota until the entry is evicted. All of this is virtual
//! memory, which becomes resident as clients come.

use std::time::Duration;

use super::bucket::Bucket;
use super::decision::{LimitDenied, StrictestDenial};
use super::entry::{EntryHeader, EntryRef, KEY_WORD};
use super::entry_layout::{EntryLayout, MAX_WORDS, PlacedRules};
use super::request::LimitRequest;
use super::stats::TableUsage;
use super::tag_sets::TagSets;
use super::window::{Window, check_unused};
use crate::limit::policy::{Multiplier, Tier};

/// The number of shared entries. New keys use them if all entries of their sets are limited.
const SHARED: usize = 4096;

/// The words of an unused entry.
const UNUSED: [u64; MAX_WORDS] = [0; MAX_WORDS];

/// The entries of one tier.
pub(super) struct Table {
    tags: TagSets,
    /// The entries of all sets, followed by the shared entries.
    entries: Vec<u64>,
    /// The windows of each entry, in the order of the quotas in the layout. `None` stands for unused quotas.
    windows: Vec<Option<Box<[Window]>>>,
    /// The number of words in an entry.
    words: usize,
    pub(super) tier: Tier,
    pub(super) usage: TableUsage,
}

/// The result of looking up a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lookup {
    /// The key has its own entry, or must use this shared one.
    Found(usize),
    /// The key has no entry, and may claim this one. The entry is unused, or is the next to be evicted.
    Vacant(usize),
}

impl Table {
    pub(super) fn new(layout: &EntryLayout, entries: usize, tier: Tier) -> Self {
        let tags = TagSets::new(entries);
        let words = layout.words;
        let size = tags.entries();
        let all = size + SHARED;
        Self {
            tags,
            entries: vec![0; all * words],
            windows: vec![None; if layout.quotas.is_empty() { 0 } else { all }],
            words,
            tier,
            usage: TableUsage {
                size,
                ..TableUsage::default()
            },
        }
    }

    /// Finds the entry of a key without claiming one. `network` chooses the shared entry, if one is needed.
    #[inline]
    pub(super) fn look_up(
        &mut self,
        layout: &EntryLayout,
        now: u64,
        key: u64,
        network: u64,
    ) -> Lookup {
        let key = nonzero(key);
        let mut candidates = self.tags.candidates(key);
        match candidates.find(|index| self.entry(Lookup::Found(*index))[KEY_WORD] == key) {
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
                // The upper bits choose the shared entry, because the lower bits choose the sets of networks.
                let shared = usize::try_from(network >> 52).expect("12 bits fit");
                Lookup::Found(self.usage.size + shared)
            }
        }
    }

    /// Returns the nanoseconds until the buckets and windows of the entry are full. Returns `None` if the entry is
    /// limited now.
    fn full_in(&mut self, layout: &EntryLayout, now: u64, index: usize) -> Option<u64> {
        let entry = self.entry(Lookup::Found(index));
        let multiplier = EntryHeader::read(entry).multiplier;
        let mut full_in = 0;
        for placed in layout.placed.iter().flat_map(|rules| &rules.rates) {
            let rate = placed.scaled(self.tier, multiplier);
            let bucket = Bucket::read(entry, placed.word);
            if bucket.is_empty(now, &rate) {
                return None;
            }
            full_in = full_in.max(bucket.full_in(now, &rate));
        }
        let windows = self.windows.get_mut(index).and_then(Option::as_mut);
        for (window, quota) in windows.into_iter().flatten().zip(&layout.quotas) {
            let limit = quota.scaled_limit(self.tier, multiplier);
            full_in = full_in.max(window.full_in_unless_used_up(now, quota, limit)?);
        }
        Some(full_in)
    }

    /// Claims the entry for a key. If the entry belonged to another key, that key is evicted.
    #[inline]
    pub(super) fn claim(&mut self, lookup: Lookup, key: u64) -> EntryRef {
        let index = match lookup {
            Lookup::Found(index) => index,
            Lookup::Vacant(index) => {
                self.assign(index, nonzero(key));
                index
            }
        };
        self.usage.shared += u64::from(index >= self.usage.size);
        let generation = EntryHeader::read(self.entry(Lookup::Found(index))).generation;
        EntryRef { index, generation }
    }

    fn assign(&mut self, index: usize, key: u64) {
        match self.tags.assign(index, key) {
            true => self.usage.evicted += 1,
            false => self.usage.used += 1,
        }
        let entry = self.entry_mut(index);
        let generation = EntryHeader::read(entry).generation.wrapping_add(1);
        entry.fill(0);
        entry[KEY_WORD] = key;
        EntryHeader::write(entry, generation, Multiplier::ONE);
        if let Some(windows) = self.windows.get_mut(index) {
            *windows = None;
        }
    }

    /// Returns how many nanoseconds these rules make a request wait. Reports each rule that denies the request to
    /// `denials`.
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
            let amount = request.amount(quota.unit);
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

    /// Charges the request. If a rule has less left than the request needs, the remaining amount is charged.
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
        EntryHeader::write(words, generation, multiplier);
        if request.requests > 0 {
            for placed in &rules.rates {
                let rate = placed.scaled(tier, multiplier);
                let bucket = Bucket::read(words, placed.word).charge(now, &rate);
                bucket.write(words, placed.word);
            }
        }
        for placed in &rules.quotas {
            let amount = request.amount(placed.quota.unit);
            if amount > 0 {
                let limit = placed.quota.scaled_limit(tier, multiplier);
                let windows = self.windows[index].get_or_insert_with(|| {
                    let unused = |quota| Window::new(now, quota);
                    layout.quotas.iter().map(unused).collect()
                });
                windows[placed.window].charge(now, &placed.quota, limit, amount);
            }
        }
    }

    /// Refunds the unused part of the charge made at `charged_at`. Does nothing if the entry was evicted since. A
    /// refund to a shared entry benefits all keys that use it, as the charge affected them all.
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
                let amount = unused.amount(placed.quota.unit);
                window.refund(charged_at, &placed.quota, amount);
            }
        }
    }

    /// Returns the words of an entry. If the key has not claimed an entry yet, returns the words of an unused entry.
    #[inline]
    pub(super) fn entry(&self, lookup: Lookup) -> &[u64] {
        match lookup {
            Lookup::Found(index) => &self.entries[index * self.words..][..self.words],
            Lookup::Vacant(_) => &UNUSED[..self.words],
        }
    }

    /// Returns the used part of one quota, or `None` if no window exists yet.
    pub(super) fn window(&mut self, lookup: Lookup, window: usize) -> Option<&mut Window> {
        match lookup {
            Lookup::Found(index) => Some(&mut self.windows[index].as_mut()?[window]),
            Lookup::Vacant(_) => None,
        }
    }

    fn entry_mut(&mut self, index: usize) -> &mut [u64] {
        &mut self.entries[index * self.words..][..self.words]
    }

    /// Returns the virtual memory of the table in bytes. The windows are not counted.
    pub(super) fn bytes(&self) -> usize {
        self.tags.bytes() + size_of_val(&*self.entries) + size_of_val(&*self.windows)
    }

    /// Returns the keys that have an entry, in the order of the table. Only tests use this.
    #[cfg(test)]
    pub(super) fn keys(&self) -> Vec<u64> {
        let keys = (0..self.usage.size).map(|index| self.entry(Lookup::Found(index))[KEY_WORD]);
        keys.filter(|key| *key != 0).collect()
    }

    /// Describes the first inconsistency found, or returns `None` if the table is consistent. Only tests use this.
    #[cfg(test)]
    pub(super) fn inconsistency(&self) -> Option<String> {
        let mut keys = std::collections::HashSet::new();
        for index in 0..self.usage.size {
            let key = self.entry(Lookup::Found(index))[KEY_WORD];
            let is_candidate = self.tags.candidates(key).any(|found| found == index);
            if self.tags.is_assigned(index) && !(is_candidate && keys.insert(key)) {
                return Some(format!("{key} is in entry {index}, or twice"));
            }
        }
        (keys.len() != self.usage.used)
            .then(|| format!("{} counted, {} found", self.usage.used, keys.len()))
    }
}

/// Returns the key as it is stored. Zero is replaced by one, because zero marks an entry without a key.
#[inline]
fn nonzero(key: u64) -> u64 {
    key.max(1)
}
