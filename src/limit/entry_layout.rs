//! The plan: where in an entry of a table each rule keeps what was used of it.
//!
//! What it must not know: the entries, and what was used.
//! Invariants: no two rules share a place; the places are the same in every entry. Reads and misses come first and
//! passwords last: what is asked for most then lies in one cache line. Rates are kept apart from quotas, with their
//! figures worked out for both tiers: most decisions are about rates alone, and then have nothing to choose.

use super::bucket::ScaledRate;
use super::word_array::LINE;
use super::{Action, Multiplier, Quota, Rate, Rule, Rules, RulesByAction, Tier};

/// Words in front of the buckets of an entry.
pub(super) const HEADER: usize = 2;

/// A rate and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedRate {
    /// The bucket: two words from this one on.
    pub(super) word: usize,
    /// The number of the rule among those of its action.
    pub(super) rule: usize,
    rate: Rate,
    /// For a client and for a network without a factor.
    plain: [ScaledRate; 2],
}

/// A quota and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedQuota {
    /// The number of its window.
    pub(super) window: usize,
    /// The number of the rule among those of its action.
    pub(super) rule: usize,
    pub(super) quota: Quota,
}

/// The rules of one action with their places.
#[derive(Debug, Default)]
pub(super) struct PlacedRules {
    pub(super) rates: Vec<PlacedRate>,
    pub(super) quotas: Vec<PlacedQuota>,
}

/// The rules of all actions with their places.
#[derive(Debug)]
pub(super) struct EntryLayout {
    limits: RulesByAction,
    save: PlacedRules,
    read: PlacedRules,
    miss: PlacedRules,
    password: PlacedRules,
    /// The quotas in the order of their windows.
    quotas: Vec<Quota>,
    /// Words of an entry: of a size that never straddles two cache lines if it need not.
    words: usize,
}

impl PlacedRate {
    /// The figures for an entry of this tier, of a client with this factor.
    #[inline]
    pub(super) fn scaled(&self, tier: Tier, multiplier: Multiplier) -> ScaledRate {
        match multiplier {
            Multiplier::ONE => self.plain[tier as usize],
            _ => self.rate.scaled(tier, multiplier),
        }
    }
}

impl PlacedRules {
    pub(super) fn is_empty(&self) -> bool {
        self.rates.is_empty() && self.quotas.is_empty()
    }

    fn new(rules: &Rules, words: &mut usize, quotas: &mut Vec<Quota>) -> Self {
        let mut placed = Self::default();
        for (number, rule) in rules.as_slice().iter().enumerate() {
            match *rule {
                Rule::Rate(rate) => {
                    placed.rates.push(PlacedRate {
                        word: *words,
                        rule: number,
                        rate,
                        plain: [Tier::Client, Tier::Network]
                            .map(|tier| rate.scaled(tier, Multiplier::ONE)),
                    });
                    *words += 2;
                }
                Rule::Quota(quota) => {
                    placed.quotas.push(PlacedQuota {
                        window: quotas.len(),
                        rule: number,
                        quota,
                    });
                    quotas.push(quota);
                }
            }
        }
        placed
    }
}

impl EntryLayout {
    pub(super) fn new(limits: RulesByAction) -> Self {
        let mut words = HEADER;
        let mut quotas = Vec::new();
        let mut place = |rules: &Rules| PlacedRules::new(rules, &mut words, &mut quotas);
        let read = place(&limits.read);
        let miss = place(&limits.miss);
        let save = place(&limits.save);
        let password = place(&limits.password);
        let words = match words {
            words if words <= LINE => words.next_power_of_two(),
            words => words.next_multiple_of(LINE),
        };
        Self {
            limits,
            save,
            read,
            miss,
            password,
            quotas,
            words,
        }
    }

    pub(super) fn limits(&self) -> &RulesByAction {
        &self.limits
    }

    pub(super) fn of(&self, action: Action) -> &PlacedRules {
        match action {
            Action::Save => &self.save,
            Action::Read => &self.read,
            Action::Miss => &self.miss,
            Action::Password => &self.password,
        }
    }

    /// Those of all actions.
    pub(super) fn all(&self) -> [&PlacedRules; Action::ALL.len()] {
        [&self.read, &self.miss, &self.save, &self.password]
    }

    pub(super) fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }
}
