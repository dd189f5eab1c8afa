//! Remaining quotas: how much a client has left of each rule, for the header `RateLimit`.

use std::time::Duration;

use super::bucket::Bucket;
use super::entry_layout::PlacedRules;
use super::table::{Lookup, Table};
use crate::limit::policy::Multiplier;

/// How much a client has left of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemainingQuota {
    /// The requests or bytes that are left.
    pub remaining: u64,
    /// The time until more is left, or zero if nothing was used.
    pub reset: Duration,
}

impl RemainingQuota {
    /// Returns the remaining quota of each rule, in the order in which the rules were written.
    pub(super) fn all(
        table: &mut Table,
        rules: &PlacedRules,
        lookup: Lookup,
        now: u64,
        multiplier: Multiplier,
    ) -> Vec<Self> {
        let mut quotas = Vec::new();
        for placed in &rules.rates {
            let rate = placed.scaled(table.tier, multiplier);
            let bucket = Bucket::read(table.entry(lookup), placed.word);
            let left = Self {
                remaining: bucket.tokens(now, &rate),
                reset: Duration::from_nanos(bucket.next_token_in(now, &rate)),
            };
            quotas.push((placed.rule, left));
        }
        for placed in &rules.quotas {
            let quota = &placed.quota;
            let limit = quota.scaled_limit(table.tier, multiplier);
            let window = table.window(lookup, placed.window);
            let (used, more_in) = window.map_or((0, 0), |window| {
                (window.slide(now, quota), window.more_in(now, quota))
            });
            let left = Self {
                remaining: limit.saturating_sub(used),
                reset: Duration::from_nanos(more_in),
            };
            quotas.push((placed.rule, left));
        }
        quotas.sort_by_key(|(rule, _)| *rule);
        quotas.into_iter().map(|(_, left)| left).collect()
    }
}
