//! A table of fixed size: what each of so many clients, or networks, used of the rules.
//!
//! What it must not know: the clock; which rule belongs to which action.
//! Invariants: its memory never grows beyond its size, but for windows, of which each entry has one box at most; an
//! entry that is limited right now is never put out; a key is in its own set of eight only, and once at most.
//! Cost: a look-up is one cache line of eight keys and one of the entry. An entry takes 8 bytes of key and 64 bytes
//! with up to three rates, and its windows from the first charge of a quota until it is put out. All of it is virtual
//! memory until clients come.
//! Why sets of eight and not a hash map: it cannot be made to rehash, grow or chain; keys are keyed hashes, so nobody
//! can aim at a set. When all eight of a set are limited, whoever is new shares an entry with the other newcomers of
//! its network and a few networks more, instead of being shut out or freeing one of them.

use super::bucket::Bucket;
use super::lines::{LINE, Lines};
use super::plan::{HEADER, Placed, Plan};
use super::verdict::Verdict;
use super::window::Window;
use super::{Ask, Unit};

/// Entries that newcomers share while their sets are full of limited ones.
const SHARED: usize = 4096;

/// An entry without anything used, as long as any can be.
const FRESH: [u64; 64] = [0; 64];

/// The entries of one tier.
#[derive(Debug)]
pub(super) struct Table {
    /// A line of keys for each set; zero where there is none.
    keys: Lines,
    /// The entries of the sets, and behind them the shared ones.
    entries: Lines,
    /// What each entry used of the quotas, in the order of the plan.
    windows: Vec<Option<Box<[Window]>>>,
    /// Words of an entry.
    words: usize,
    /// A power of two.
    sets: usize,
    /// How many times the figures of a rule each entry has.
    factor: u64,
    /// Entries that have a key.
    pub(super) used: usize,
    /// How often a newcomer took the entry of another.
    pub(super) put_out: u64,
    /// How often a newcomer had to share.
    pub(super) shared: u64,
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
    pub(super) fn new(plan: &Plan, entries: usize, factor: u64) -> Self {
        let sets = entries.div_ceil(LINE).next_power_of_two();
        let words = plan.words();
        let all = sets * LINE + SHARED;
        Self {
            keys: Lines::zeroed(sets * LINE),
            entries: Lines::zeroed(all * words),
            windows: vec![None; if plan.quotas().is_empty() { 0 } else { all }],
            words,
            sets,
            factor,
            used: 0,
            put_out: 0,
            shared: 0,
        }
    }

    /// Entries that it can hold.
    pub(super) fn size(&self) -> usize {
        self.sets * LINE
    }

    /// Where this key is or would be; nothing is changed by asking.
    pub(super) fn place(&self, plan: &Plan, now: u64, key: u64, network: u64) -> Place {
        let key = key.max(1);
        let set = self.set_of(key);
        let keys = self.keys.line(set);
        match way_of(keys, key) {
            Some(way) => Place::Known(set * LINE + way),
            None => self.place_newcomer(plan, now, set, network),
        }
    }

    #[cold]
    fn place_newcomer(&self, plan: &Plan, now: u64, set: usize, network: u64) -> Place {
        if let Some(way) = way_of(self.keys.line(set), 0) {
            return Place::New(set * LINE + way);
        }
        let entries = set * LINE..(set + 1) * LINE;
        let may_go = entries.filter_map(|index| Some((self.full_in(plan, index, now)?, index)));
        may_go.min().map_or_else(
            // The upper bits: the lower ones choose the sets of networks.
            || Place::Known(self.size() + usize::try_from(network >> 52).unwrap_or(0)),
            |(_, index)| Place::New(index),
        )
    }

    /// Gives the place to this key, and says which entry it is.
    pub(super) fn claim(&mut self, place: Place, key: u64, times: u32) -> usize {
        let index = match place {
            Place::Known(index) => index,
            Place::New(index) => {
                self.renew(index, key.max(1));
                index
            }
        };
        self.shared += u64::from(index >= self.size());
        let at = index * self.words;
        self.entries.get_mut(at, HEADER)[0] = u64::from(times);
        index
    }

    fn renew(&mut self, index: usize, key: u64) {
        let words = self.words;
        let slot = &mut self.keys.get_mut(index, 1)[0];
        match std::mem::replace(slot, key) {
            0 => self.used += 1,
            _ => self.put_out += 1,
        }
        self.entries.get_mut(index * words, words).fill(0);
        if let Some(windows) = self.windows.get_mut(index) {
            *windows = None;
        }
    }

    /// Whether this is still the entry of this key, or one that is shared.
    pub(super) fn is_of(&self, index: usize, key: u64) -> bool {
        index >= self.size() || self.keys.get(index, 1)[0] == key.max(1)
    }

    /// What these rules say to the ask.
    pub(super) fn judge(
        &mut self,
        rules: &[Placed],
        place: Place,
        now: u64,
        times: u32,
        ask: &Ask,
    ) -> Verdict {
        let factor = self.factor_for(u64::from(times));
        let mut verdict = Verdict::YES;
        for (number, rule) in rules.iter().enumerate() {
            let said = match rule {
                Placed::Rate { .. } if ask.requests == 0 => continue,
                Placed::Rate { rate, word } => self
                    .bucket(place, *word)
                    .wait_for_token(now, rate.times(factor))
                    .map_err(Some),
                Placed::Quota { quota, window } => {
                    let amount = ask.amount(quota.unit());
                    let has_room = match self.window(place, *window) {
                        Some(window) => window.has_room(now, quota, factor, amount),
                        None => Window::new(now, quota).has_room(now, quota, factor, amount),
                    };
                    has_room.map(|()| 0)
                }
            };
            verdict.hear(number, said);
        }
        verdict
    }

    /// Takes what the ask wants, or what there is of it.
    pub(super) fn charge(
        &mut self,
        plan: &Plan,
        rules: &[Placed],
        index: usize,
        now: u64,
        times: u32,
        ask: &Ask,
    ) {
        let factor = self.factor_for(u64::from(times));
        for rule in rules {
            match rule {
                Placed::Rate { .. } if ask.requests == 0 => {}
                Placed::Rate { rate, word } => {
                    let bucket = self.bucket(Place::Known(index), *word);
                    self.put(index, *word, bucket.take(now, rate.times(factor)));
                }
                Placed::Quota { quota, window } => {
                    let amount = ask.amount(quota.unit());
                    if amount > 0 {
                        let windows = self.windows[index].get_or_insert_with(|| {
                            plan.quotas()
                                .iter()
                                .map(|quota| Window::new(now, quota))
                                .collect()
                        });
                        windows[*window].charge(now, quota, factor, amount);
                    }
                }
            }
        }
    }

    /// Puts back what was charged at that moment and not used.
    pub(super) fn give_back(
        &mut self,
        rules: &[Placed],
        index: usize,
        charged_at: u64,
        times: u32,
        ask: &Ask,
    ) {
        let factor = self.factor_for(u64::from(times));
        for rule in rules {
            match rule {
                Placed::Rate { .. } if ask.requests == 0 => {}
                Placed::Rate { rate, word } => {
                    let bucket = self.bucket(Place::Known(index), *word);
                    self.put(index, *word, bucket.give_back(rate.times(factor)));
                }
                Placed::Quota { quota, window } => {
                    if let Some(window) = self.window(Place::Known(index), *window) {
                        window.give_back(charged_at, quota, ask.amount(quota.unit()));
                    }
                }
            }
        }
    }

    /// What is used of one rate.
    pub(super) fn bucket(&self, place: Place, word: usize) -> Bucket {
        let words = match place {
            Place::Known(index) => self.entries.get(index * self.words + word, 2),
            Place::New(_) => &FRESH[..2],
        };
        Bucket::from_words([words[0], words[1]])
    }

    /// What is used of one quota; none if nothing ever was.
    pub(super) fn window(&mut self, place: Place, window: usize) -> Option<&mut Window> {
        match place {
            Place::Known(index) => Some(&mut self.windows[index].as_mut()?[window]),
            Place::New(_) => None,
        }
    }

    /// How many times the figures of a rule an entry has whose network the operator gave this factor.
    pub(super) fn factor_for(&self, times: u64) -> u64 {
        self.factor * times.max(1)
    }

    fn put(&mut self, index: usize, word: usize, bucket: Bucket) {
        let at = index * self.words + word;
        self.entries.get_mut(at, 2).copy_from_slice(&bucket.words());
    }

    fn set_of(&self, key: u64) -> usize {
        usize::try_from(key & (self.sets as u64 - 1)).unwrap_or(0)
    }

    /// After how many nanoseconds the entry is full at the latest; none if it is limited now.
    fn full_in(&self, plan: &Plan, index: usize, now: u64) -> Option<u64> {
        let factor = self.factor_for(self.entries.get(index * self.words, HEADER)[0]);
        let mut full_in = 0;
        for rule in plan.all() {
            full_in = full_in.max(match rule {
                Placed::Rate { rate, word } => {
                    let terms = rate.times(factor);
                    let bucket = self.bucket(Place::Known(index), *word);
                    if bucket.is_empty(now, terms) {
                        return None;
                    }
                    bucket.full_in(now, terms)
                }
                Placed::Quota { quota, window } => match &self.windows[index] {
                    Some(windows) => windows[*window].full_in_unless_used_up(now, quota, factor)?,
                    None => 0,
                },
            });
        }
        Some(full_in)
    }

    /// Bytes of virtual memory, without windows.
    pub(super) fn bytes(&self) -> usize {
        self.keys.bytes() + self.entries.bytes() + size_of_val(&*self.windows)
    }

    /// Recounts; for tests.
    #[cfg(test)]
    pub(super) fn inconsistency(&self) -> Option<String> {
        let keys = self.keys.get(0, self.size());
        let used = keys.iter().filter(|key| **key != 0).count();
        if used != self.used {
            return Some(format!("{} entries counted, {used} found", self.used));
        }
        for (index, key) in keys.iter().enumerate().filter(|(_, key)| **key != 0) {
            let twins = keys[index + 1..].iter().take(LINE - 1 - index % LINE);
            if self.set_of(*key) != index / LINE || twins.clone().any(|twin| twin == key) {
                return Some(format!("{key} is at {index}"));
            }
        }
        None
    }
}

impl Ask {
    fn amount(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Requests => self.requests,
            Unit::Bytes => self.bytes,
        }
    }
}

/// Compares all eight before it decides: a branch for each would be mispredicted.
fn way_of(keys: &[u64; LINE], key: u64) -> Option<usize> {
    let mut ways = 0_u32;
    for (way, known) in keys.iter().enumerate() {
        ways |= u32::from(*known == key) << way;
    }
    (ways != 0).then(|| ways.trailing_zeros() as usize)
}
