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
            let more_in = bucket.next_token_in(now, &rate);
            quotas.push((placed.rule, bucket.tokens(now, &rate), more_in));
        }
        for placed in &rules.quotas {
            let quota = &placed.quota;
            let limit = quota.scaled_limit(table.tier, multiplier);
            let window = table.window(lookup, placed.window);
            let (used, more_in) = window.map_or((0, 0), |window| {
                (window.slide(now, quota), window.more_in(now, quota))
            });
            quotas.push((placed.rule, limit.saturating_sub(used), more_in));
        }
        quotas.sort_by_key(|(rule, ..)| *rule);
        let left = |(_, remaining, more_in)| Self {
            remaining,
            reset: Duration::from_nanos(more_in),
        };
        quotas.into_iter().map(left).collect()
    }
}
