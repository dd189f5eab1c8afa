//! The plan: where in an entry of a table each rule keeps what was used of it.
//!
//! What it must not know: the entries, and what was used.
//! Invariants: no two rules share a place; the places are the same in every entry. Reads and misses come first: they
//! are what is asked for most, and then lie in one cache line.

use super::lines::LINE;
use super::{Action, Limits, Quota, Rate, Rule, Rules};

/// Words in front of the buckets: the factor of the network that the client asked from last.
pub(super) const HEADER: usize = 1;

/// A rule and its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Placed {
    /// A bucket: two words from this one on.
    Rate { rate: Rate, word: usize },
    /// The window of this number.
    Quota { quota: Quota, window: usize },
}

/// The rules of all actions with their places.
#[derive(Debug)]
pub(super) struct Plan {
    limits: Limits,
    save: Vec<Placed>,
    read: Vec<Placed>,
    miss: Vec<Placed>,
    /// The quotas in the order of their windows.
    quotas: Vec<Quota>,
    /// Words of an entry: of a size that never straddles two cache lines if it need not.
    words: usize,
}

impl Plan {
    pub(super) fn new(limits: Limits) -> Self {
        let mut words = HEADER;
        let mut quotas = Vec::new();
        let mut place = |rules: &Rules| {
            let placed = rules.as_slice().iter().map(|rule| match *rule {
                Rule::Rate(rate) => {
                    let word = words;
                    words += 2;
                    Placed::Rate { rate, word }
                }
                Rule::Quota(quota) => {
                    quotas.push(quota);
                    let window = quotas.len() - 1;
                    Placed::Quota { quota, window }
                }
            });
            placed.collect()
        };
        let (read, miss, save) = (
            place(&limits.read),
            place(&limits.miss),
            place(&limits.save),
        );
        let words = match words {
            words if words <= LINE => words.next_power_of_two(),
            words => words.next_multiple_of(LINE),
        };
        Self {
            limits,
            save,
            read,
            miss,
            quotas,
            words,
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn of(&self, action: Action) -> &[Placed] {
        match action {
            Action::Save => &self.save,
            Action::Read => &self.read,
            Action::Miss => &self.miss,
        }
    }

    /// Those of all actions.
    pub(super) fn all(&self) -> impl Iterator<Item = &Placed> {
        self.read.iter().chain(&self.miss).chain(&self.save)
    }

    pub(super) fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }
}
