//! A table of fixed size: what each of so many clients, or networks, used of the rules.
//!
//! What it must not know: the clock; which rule belongs to which action.
//! Invariants: its memory never grows beyond its size, but for windows, of which each entry has one box at most; a key is
//! in its own set of eight only, and once at most; who makes room for a newcomer is never one that is limited right now
//! ([`replacement`]); what a key was charged is given back only as long as it has the same entry without a break.
//! Cost: a look-up is a word of eight tags and, but for one in thirty-six, one entry, whose first three rates are in
//! one cache line. An entry takes 129 bytes with the default rules (65 if none is for passwords), and 16 more and its
//! windows where there are quotas; the windows only from the first charge of a quota until it is put out. All of it is
//! virtual memory until clients come.
//! Why sets of eight and not a hash map: it cannot be made to rehash, grow or chain; keys are keyed hashes, so nobody
//! can aim at a set. When all eight of a set are limited, whoever is new shares an entry with the other newcomers of
//! its network and a few networks more, instead of being shut out or freeing one of them.

use super::bucket::Bucket;
use super::entry_layout::{EntryLayout, HEADER, PlacedRules};
use super::strictest_denial::{Denial, StrictestDenial};
use super::window::Window;
use super::word_array::{LINE, WordArray};
use super::{Action, LimitRequest, MAX_RULES, Multiplier, Tier, Unit};

mod replacement;

/// Entries of a set.
const WAYS: usize = 8;

/// Entries that newcomers share while their sets are full of limited ones.
const SHARED: usize = 4096;

/// The words of the longest entry, and more.
const MAX_WORDS: usize = HEADER + 2 * Action::ALL.len() * MAX_RULES + LINE;

/// An entry that nobody used, as long as any can be.
const FRESH: [u64; MAX_WORDS] = [0; MAX_WORDS];

/// The entries of one tier.
#[derive(Debug)]
pub(super) struct Table {
    /// A word for each set: a byte of the key of each entry, zero where there is none. All of them are an eighth of the
    /// keys, so that they stay in a near cache and only the entry itself is far.
    tags: WordArray,
    /// Those of the sets, and behind them the shared ones. An entry begins with its key and its [`EntryHeader`]; then come the
    /// buckets.
    entries: WordArray,
    /// What each entry used of the quotas, in the order of the plan.
    windows: Vec<Option<Box<[Window]>>>,
    words: usize,
    /// A power of two.
    sets: usize,
    tier: Tier,
    /// Entries that have a key.
    pub(super) used: usize,
    /// How often a newcomer took the entry of another.
    pub(super) evicted: u64,
    /// How often a newcomer had to share.
    pub(super) shared: u64,
}
/// An entry that a key had when it was charged.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EntryRef {
    index: usize,
    generation: u32,
}

/// The second word of an entry.
#[derive(Debug, Clone, Copy)]
struct EntryHeader {
    /// How often the entry was given to a key: what an earlier one was charged is not credited to the next, not even
    /// to the same key that came back. Zero in the shared ones.
    generation: u32,
    /// The factor of the client that was charged last.
    multiplier: Multiplier,
}

impl EntryHeader {
    const WORD: usize = 1;

    #[inline]
    fn of(entry: &[u64]) -> Self {
        let [a, b, c, d, e, f, g, h] = entry[Self::WORD].to_le_bytes();
        Self {
            generation: u32::from_le_bytes([e, f, g, h]),
            multiplier: Multiplier::new(u32::from_le_bytes([a, b, c, d])).unwrap_or_default(),
        }
    }

    #[inline]
    fn put(self, entry: &mut [u64]) {
        entry[Self::WORD] = u64::from(self.generation) << 32 | u64::from(self.multiplier);
    }
}

/// Where a key is, or would be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// Its own entry, or the shared one that it has to make do with.
    Known(usize),
    /// An entry that it may have: free, or the one that is soonest full.
    New(usize),
}

impl Table {
    pub(super) fn new(layout: &EntryLayout, entries: usize, tier: Tier) -> Self {
        let sets = entries.div_ceil(WAYS).next_power_of_two();
        let words = layout.words();
        let all = sets * WAYS + SHARED;
        Self {
            tags: WordArray::zeroed(sets),
            entries: WordArray::zeroed(all * words),
            windows: vec![None; if layout.quotas().is_empty() { 0 } else { all }],
            words,
            sets,
            tier,
            used: 0,
            evicted: 0,
            shared: 0,
        }
    }

    /// Entries that it can hold.
    pub(super) fn size(&self) -> usize {
        self.sets * WAYS
    }

    /// Where this key is or would be; nothing is changed by asking.
    #[inline]
    pub(super) fn place(&self, layout: &EntryLayout, now: u64, key: u64, network: u64) -> Place {
        let key = some(key);
        let set = self.set_of(key);
        let mut ways = ways_of(self.tags_of(set), tag(key));
        while ways != 0 {
            let index = set * WAYS + lowest(ways);
            if self.entry(Place::Known(index))[0] == key {
                return Place::Known(index);
            }
            ways &= ways - 1;
        }
        self.place_newcomer(layout, now, set, network)
    }

    /// Gives the place to this key, and says which entry it is.
    #[inline]
    pub(super) fn claim(&mut self, place: Place, key: u64) -> EntryRef {
        let index = match place {
            Place::Known(index) => index,
            Place::New(index) => {
                self.renew(index, some(key));
                index
            }
        };
        self.shared += u64::from(index >= self.size());
        let generation = EntryHeader::of(self.entry(Place::Known(index))).generation;
        EntryRef { index, generation }
    }

    fn renew(&mut self, index: usize, key: u64) {
        let (set, way) = (index / WAYS, index % WAYS);
        let word = &mut self.tags.get_mut(set, 1)[0];
        let mut tags = word.to_le_bytes();
        match std::mem::replace(&mut tags[way], tag(key)) {
            0 => self.used += 1,
            _ => self.evicted += 1,
        }
        *word = u64::from_le_bytes(tags);
        let entry = self.entry_mut(index);
        let generation = EntryHeader::of(entry).generation.wrapping_add(1);
        let multiplier = Multiplier::ONE;
        entry.fill(0);
        entry[0] = key;
        EntryHeader {
            generation,
            multiplier,
        }
        .put(entry);
        if let Some(windows) = self.windows.get_mut(index) {
            *windows = None;
        }
    }

    /// How many nanoseconds the ask has to wait by these rules; none if one of them refuses.
    #[inline]
    pub(super) fn wait_for(
        &mut self,
        rules: &PlacedRules,
        place: Place,
        now: u64,
        multiplier: Multiplier,
        request: &LimitRequest,
    ) -> Option<u64> {
        let mut wait = 0;
        if request.requests > 0 {
            let entry = self.entry(place);
            for placed in &rules.rates {
                let scaled = placed.scaled(self.tier, multiplier);
                let bucket = Bucket::in_entry(entry, placed.word);
                wait = bucket.wait_for_token(now, &scaled).ok()?.max(wait);
            }
        }
        for placed in &rules.quotas {
            let amount = request.amount(placed.quota.unit());
            let limit = placed.quota.scaled_limit(self.tier, multiplier);
            let fits = match self.window(place, placed.window) {
                Some(window) => window.fits(now, &placed.quota, limit, amount),
                None => amount <= limit && amount <= u64::from(u32::MAX),
            };
            if !fits {
                return None;
            }
        }
        Some(wait)
    }

    /// The rule that refuses the ask for longest.
    #[cold]
    pub(super) fn denial(
        &mut self,
        rules: &PlacedRules,
        place: Place,
        now: u64,
        multiplier: Multiplier,
        request: &LimitRequest,
    ) -> Option<Denial> {
        let mut longest = StrictestDenial::default();
        for placed in rules.rates.iter().filter(|_| request.requests > 0) {
            let scaled = placed.scaled(self.tier, multiplier);
            let bucket = Bucket::in_entry(self.entry(place), placed.word);
            if let Err(retry_after) = bucket.wait_for_token(now, &scaled) {
                longest.observe(placed.rule, Some(retry_after));
            }
        }
        for placed in &rules.quotas {
            let quota = &placed.quota;
            let amount = request.amount(quota.unit());
            let limit = quota.scaled_limit(self.tier, multiplier);
            let mut fresh = Window::new(now, quota);
            let window = self.window(place, placed.window).unwrap_or(&mut fresh);
            if !window.fits(now, quota, limit, amount) {
                longest.observe(placed.rule, window.fits_in(now, quota, limit, amount));
            }
        }
        longest.denial()
    }

    /// Takes what the ask wants, or what there is of it.
    #[inline]
    pub(super) fn charge(
        &mut self,
        layout: &EntryLayout,
        held: EntryRef,
        now: u64,
        multiplier: Multiplier,
        request: &LimitRequest,
    ) {
        let rules = layout.of(request.action);
        let (tier, EntryRef { index, generation }) = (self.tier, held);
        let entry = self.entry_mut(index);
        EntryHeader {
            generation,
            multiplier,
        }
        .put(entry);
        if request.requests > 0 {
            for placed in &rules.rates {
                let scaled = placed.scaled(tier, multiplier);
                let bucket = Bucket::in_entry(entry, placed.word);
                bucket.take(now, &scaled).put(entry, placed.word);
            }
        }
        for placed in &rules.quotas {
            let amount = request.amount(placed.quota.unit());
            if amount > 0 {
                let limit = placed.quota.scaled_limit(self.tier, multiplier);
                let windows = self.windows[index].get_or_insert_with(|| {
                    let fresh = |quota| Window::new(now, quota);
                    layout.quotas().iter().map(fresh).collect()
                });
                windows[placed.window].charge(now, &placed.quota, limit, amount);
            }
        }
    }

    /// Puts back what was charged at that moment and not used, if the entry was not given away since. Of a shared one it
    /// is credited to all who share it, as the charge was theirs too.
    pub(super) fn refund(
        &mut self,
        rules: &PlacedRules,
        held: EntryRef,
        [charged_at, now]: [u64; 2],
        multiplier: Multiplier,
        unused: &LimitRequest,
    ) {
        let (tier, EntryRef { index, generation }) = (self.tier, held);
        let entry = self.entry_mut(index);
        if EntryHeader::of(entry).generation != generation {
            return;
        }
        for placed in rules.rates.iter().filter(|_| unused.requests > 0) {
            let scaled = placed.scaled(tier, multiplier);
            let bucket = Bucket::in_entry(entry, placed.word);
            bucket
                .refund(charged_at, now, &scaled)
                .put(entry, placed.word);
        }
        for placed in &rules.quotas {
            if let Some(window) = self.window(Place::Known(index), placed.window) {
                let amount = unused.amount(placed.quota.unit());
                window.refund(charged_at, &placed.quota, amount);
            }
        }
    }

    pub(super) fn tier(&self) -> Tier {
        self.tier
    }

    /// What the key at this place used of the rates.
    #[inline]
    pub(super) fn entry(&self, place: Place) -> &[u64] {
        match place {
            Place::Known(index) => self.entries.get(index * self.words, self.words),
            Place::New(_) => &FRESH[..self.words],
        }
    }

    /// What is used of one quota; none if nothing ever was.
    pub(super) fn window(&mut self, place: Place, window: usize) -> Option<&mut Window> {
        match place {
            Place::Known(index) => Some(&mut self.windows[index].as_mut()?[window]),
            Place::New(_) => None,
        }
    }

    fn set_of(&self, key: u64) -> usize {
        usize::try_from(key & (self.sets as u64 - 1)).unwrap_or(0)
    }

    fn tags_of(&self, set: usize) -> u64 {
        self.tags.get(set, 1)[0]
    }

    fn entry_mut(&mut self, index: usize) -> &mut [u64] {
        self.entries.get_mut(index * self.words, self.words)
    }

    /// Bytes of virtual memory, without windows.
    pub(super) fn bytes(&self) -> usize {
        self.tags.bytes() + self.entries.bytes() + size_of_val(&*self.windows)
    }

    /// The keys that have an entry, in order; for tests.
    #[cfg(test)]
    pub(super) fn keys(&self) -> Vec<u64> {
        let keys = (0..self.size()).map(|index| self.entry(Place::Known(index))[0]);
        keys.filter(|key| *key != 0).collect()
    }

    /// Recounts; for tests.
    #[cfg(test)]
    pub(super) fn inconsistency(&self) -> Option<String> {
        let mut keys = std::collections::HashSet::new();
        for index in 0..self.size() {
            let found = self.tags_of(index / WAYS).to_le_bytes()[index % WAYS];
            let key = self.entry(Place::Known(index))[0];
            let is_in_place = self.set_of(key) == index / WAYS && tag(key) == found;
            if found != 0 && !(is_in_place && keys.insert(key)) {
                return Some(format!("{key} is at {index} with tag {found}"));
            }
        }
        (keys.len() != self.used).then(|| format!("{} counted, {} found", self.used, keys.len()))
    }
}

impl LimitRequest {
    fn amount(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Requests => self.requests,
            Unit::Bytes => self.bytes,
        }
    }
}

/// The key as it is kept: an entry that nobody has is all zeros.
#[inline]
fn some(key: u64) -> u64 {
    key.max(1)
}

/// The byte of a key that its set keeps; not of the bits that choose the set, and never zero.
#[inline]
fn tag(key: u64) -> u8 {
    key.to_be_bytes()[0].max(1)
}

/// One bit for each way whose byte is this one, and sometimes for a way above such a one: the search for a zero byte
/// of Mycroft (1987), in all eight at once.
#[inline]
fn ways_of(tags: u64, tag: u8) -> u64 {
    const LOW: u64 = u64::from_le_bytes([1; WAYS]);
    const HIGH: u64 = LOW << 7;
    let differs = tags ^ (LOW * u64::from(tag));
    differs.wrapping_sub(LOW) & !differs & HIGH
}

#[inline]
fn lowest(ways: u64) -> usize {
    ways.trailing_zeros() as usize / 8
}
