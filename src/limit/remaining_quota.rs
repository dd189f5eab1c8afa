//! Standing: how much of a rule a client has left, for the headers that tell it.
//!
//! What it must not know: how headers are written.

use std::time::Duration;

use super::Multiplier;
use super::bucket::Bucket;
use super::entry_layout::PlacedRules;
use super::table::{Place, Table};
use super::window::Window;

/// Where a client stands with one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemainingQuota {
    /// How much is left.
    pub remaining: u64,
    /// When there will be more; zero if nothing was used.
    pub reset: Duration,
}

impl RemainingQuota {
    pub(super) fn of(
        table: &mut Table,
        rules: &PlacedRules,
        place: Place,
        now: u64,
        multiplier: Multiplier,
    ) -> Vec<Self> {
        let mut quotas = Vec::new();
        for placed in &rules.rates {
            let scaled = placed.scaled(table.tier(), multiplier);
            let bucket = Bucket::in_entry(table.entry(place), placed.word);
            let quota_left = Self {
                remaining: bucket.tokens(now, &scaled),
                reset: Duration::from_nanos(bucket.next_token_in(now, &scaled)),
            };
            quotas.push((placed.rule, quota_left));
        }
        for placed in &rules.quotas {
            let quota = &placed.quota;
            let limit = quota.scaled_limit(table.tier(), multiplier);
            let mut fresh = Window::new(now, quota);
            let window = table.window(place, placed.window).unwrap_or(&mut fresh);
            let quota_left = Self {
                remaining: limit.saturating_sub(window.slide(now, quota)),
                reset: Duration::from_nanos(window.more_in(now, quota)),
            };
            quotas.push((placed.rule, quota_left));
        }
        quotas.sort_by_key(|(rule, _)| *rule);
        quotas.into_iter().map(|(_, left)| left).collect()
    }
}
