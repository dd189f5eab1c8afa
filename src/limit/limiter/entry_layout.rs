//! The entry layout. It assigns to each rule its place in an entry.
//!
//! Invariants: No two rules use the same words. All entries of both tables have the same layout.
//! Why this order: The rules of reads and misses come first, next to the key. The most frequent decisions therefore
//! touch few cache lines.
//! Why rates and quotas are separate: Most decisions involve only rates. For the same reason, the figures of rates are
//! computed in advance for both tiers.

use super::entry::HEADER_WORDS;
use crate::limit::policy::{
    Action, MAX_RULES, Multiplier, Quota, Rate, Rule, Rules, RulesByAction, ScaledRate, Tier,
};

/// The maximum number of words in an entry.
pub(super) const MAX_WORDS: usize = HEADER_WORDS + 2 * Action::ALL.len() * MAX_RULES;

/// A rate and the place of its bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedRate {
    /// The index of the first of the two words of the bucket.
    pub(super) word: usize,
    /// The index of the rule among the rules of its action.
    pub(super) rule: usize,
    rate: Rate,
    /// The figures for a client and for a network, both without a multiplier.
    unscaled: [ScaledRate; 2],
}

/// A quota and the place of its window.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedQuota {
    /// The index of the window among the windows of an entry.
    pub(super) window: usize,
    /// The index of the rule among the rules of its action.
    pub(super) rule: usize,
    pub(super) quota: Quota,
}

/// The rules of one action with their places in an entry.
#[derive(Debug, Default)]
pub(super) struct PlacedRules {
    pub(super) rates: Vec<PlacedRate>,
    pub(super) quotas: Vec<PlacedQuota>,
}

/// The rules of all actions with their places in an entry.
pub(super) struct EntryLayout {
    /// The rules of each action, in the order of [`Action::ALL`].
    pub(super) placed: [PlacedRules; Action::ALL.len()],
    /// The quotas, in the order of their windows.
    pub(super) quotas: Vec<Quota>,
    /// The number of words in an entry.
    pub(super) words: usize,
}

impl PlacedRate {
    /// Returns the figures of the rate for an entry of this tier with this multiplier.
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
    /// Lays out entries for these rules.
    pub(super) fn new(rules: &RulesByAction) -> Self {
        let mut words = HEADER_WORDS;
        let mut quotas = Vec::new();
        let mut place = |rules: &Rules| PlacedRules::new(rules, &mut words, &mut quotas);
        let [read, miss] = [&rules.read, &rules.miss].map(&mut place);
        let [save, password] = [&rules.save, &rules.password].map(place);
        Self {
            placed: [save, read, miss, password],
            quotas,
            words,
        }
    }

    pub(super) fn of(&self, action: Action) -> &PlacedRules {
        &self.placed[action as usize]
    }
}
