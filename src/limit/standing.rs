//! Standing: how much of a rule a client has left, for the headers that tell it.
//!
//! What it must not know: how headers are written.

use std::time::Duration;

use super::Multiplier;
use super::bucket::Bucket;
use super::plan::Placed;
use super::table::{Place, Table};
use super::window::Window;

/// Where a client stands with one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How much is left.
    pub remaining: u64,
    /// When there will be more; zero if nothing was used.
    pub reset: Duration,
}

impl Standing {
    pub(super) fn of(
        table: &mut Table,
        rules: &Placed,
        place: Place,
        now: u64,
        times: Multiplier,
    ) -> Vec<Self> {
        let mut standings = Vec::new();
        for placed in &rules.rates {
            let terms = placed.terms(table.tier(), times);
            let bucket = Bucket::in_entry(table.entry(place), placed.word);
            let standing = Self {
                remaining: bucket.tokens(now, &terms),
                reset: Duration::from_nanos(bucket.next_token_in(now, &terms)),
            };
            standings.push((placed.rule, standing));
        }
        for placed in &rules.quotas {
            let quota = &placed.quota;
            let limit = quota.times(table.tier(), times);
            let mut fresh = Window::new(now, quota);
            let window = table.window(place, placed.window).unwrap_or(&mut fresh);
            let standing = Self {
                remaining: limit.saturating_sub(window.slide(now, quota)),
                reset: Duration::from_nanos(window.more_in(now, quota)),
            };
            standings.push((placed.rule, standing));
        }
        standings.sort_by_key(|(rule, _)| *rule);
        standings
            .into_iter()
            .map(|(_, standing)| standing)
            .collect()
    }
}
