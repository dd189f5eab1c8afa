//! Standing: how much of a rule a client has left, for the headers that tell it.
//!
//! What it must not know: how headers are written.

use std::time::Duration;

use super::plan::Placed;
use super::table::{Place, Table};
use super::window::Window;

/// Where a client stands with one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How much there is at most.
    pub limit: u64,
    /// How much is left.
    pub remaining: u64,
    /// When there will be more; zero if nothing was used.
    pub reset: Duration,
}

impl Standing {
    pub(super) fn of(
        table: &mut Table,
        rules: &[Placed],
        place: Place,
        now: u64,
        times: u32,
    ) -> Vec<Self> {
        let factor = table.factor_for(u64::from(times));
        let standings = rules.iter().map(|rule| match rule {
            Placed::Rate { rate, word } => {
                let terms = rate.times(factor);
                let bucket = table.bucket(place, *word);
                Self {
                    limit: terms.tokens(),
                    remaining: bucket.tokens(now, terms),
                    reset: Duration::from_nanos(bucket.next_token_in(now, terms)),
                }
            }
            Placed::Quota { quota, window } => {
                let limit = quota.times(factor);
                let mut fresh = Window::new(now, quota);
                let window = table.window(place, *window).unwrap_or(&mut fresh);
                Self {
                    limit,
                    remaining: limit.saturating_sub(window.slide(now, quota)),
                    reset: Duration::from_nanos(window.more_in(now, quota)),
                }
            }
        });
        standings.collect()
    }
}
