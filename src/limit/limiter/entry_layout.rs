//! The entry layout: where in an entry each rule stores what was used of it.
//!
//! Invariants: no two rules share words. The layout is the same for all entries of both tables. Reads and misses come
//! first, next to the key, so that the most frequent decisions touch few cache lines. Rates and quotas are separate,
//! and the figures of rates are computed for both tiers: most decisions involve rates alone.

use super::entry::HEADER_WORDS;
use crate::limit::policy::{
    Action, MAX_RULES, Multiplier, Quota, Rate, Rule, Rules, RulesByAction, ScaledRate, Tier,
};

/// The most words that an entry can have.
pub(super) const MAX_WORDS: usize = HEADER_WORDS + 2 * Action::ALL.len() * MAX_RULES;

/// A rate and its bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedRate {
    /// The first of the two words of the bucket.
    pub(super) word: usize,
    /// The number of the rule among those of its action.
    pub(super) rule: usize,
    rate: Rate,
    /// For a client and for a network without a multiplier.
    unscaled: [ScaledRate; 2],
}

/// A quota and its window.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedQuota {
    /// The number of the window in its entry.
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
    rules: RulesByAction,
    /// In the order of [`Action::ALL`].
    placed: [PlacedRules; Action::ALL.len()],
    /// The quotas in the order of their windows.
    quotas: Vec<Quota>,
    /// Words of an entry.
    words: usize,
}

impl PlacedRate {
    /// The figures for an entry of this tier with this multiplier.
    #[inline]
    pub(super) fn scaled(&self, tier: Tier, multiplier: Multiplier) -> ScaledRate {
        match multiplier {
            Multiplier::ONE => self.unscaled[tier as usize],
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
                        unscaled: [Tier::Client, Tier::Network]
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
    pub(super) fn new(rules: RulesByAction) -> Self {
        let mut words = HEADER_WORDS;
        let mut quotas = Vec::new();
        let mut place = |rules: &Rules| PlacedRules::new(rules, &mut words, &mut quotas);
        let read = place(&rules.read);
        let miss = place(&rules.miss);
        let save = place(&rules.save);
        let password = place(&rules.password);
        Self {
            rules,
            placed: [save, read, miss, password],
            quotas,
            words,
        }
    }

    pub(super) fn rules(&self) -> &RulesByAction {
        &self.rules
    }

    pub(super) fn of(&self, action: Action) -> &PlacedRules {
        &self.placed[action as usize]
    }

    /// The rules of all actions.
    pub(super) fn all(&self) -> &[PlacedRules] {
        &self.placed
    }

    pub(super) fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }
}
