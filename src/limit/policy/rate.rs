//! A rate. Tokens come at a steady pace, and up to a burst of them can be saved up.
//!
//! Invariant: No computation with a rate overflows. [`Rate::new`] refuses figures that would cause an overflow.
//! Why units and not tokens: A rate of N tokens in D nanoseconds is first reduced to lowest terms. A token then costs D
//! units of debt, and each nanosecond pays N units. Both are whole numbers, so 5 tokens in 8 seconds are computed
//! exactly.

use std::time::Duration;

use super::{Multiplier, NETWORK_FACTOR, Tier, nanos};

/// A number of tokens per time, up to a burst. A request may wait for its token instead of being denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// The number of tokens that come in `per`.
    pub count: u64,
    /// The time in which they come.
    pub per: Duration,
    /// The number of tokens in a full bucket.
    pub burst: u64,
    /// The longest time that a request may wait for a token. It is zero if a request without a token is denied at once.
    pub(in crate::limit) wait: Duration,
    units_per_nano: u64,
    units_per_token: u64,
}

impl Rate {
    /// Creates a rate of `count` tokens in `per`, with at most `burst` tokens at once. A request may wait for a token
    /// that comes within `wait`.
    ///
    /// Returns `None` if a figure other than `wait` is zero. Also returns `None` if the debt of a network with the
    /// largest multiplier would not fit into 64 bits. For example, at one token per day a burst of 133 fits, and 134
    /// does not.
    pub fn new(count: u64, per: Duration, burst: u64, wait: Duration) -> Option<Self> {
        let nanoseconds = u64::try_from(per.as_nanos()).ok()?;
        if count == 0 || nanoseconds == 0 || burst == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(count, nanoseconds);
        let (units_per_nano, units_per_token) = (count / divisor, nanoseconds / divisor);
        let capacity = burst.checked_mul(units_per_token)?;
        let queue = u64::try_from(wait.as_nanos())
            .ok()?
            .checked_mul(units_per_nano)?;
        let largest_factor = NETWORK_FACTOR * u64::from(Multiplier::MAX);
        let largest_debt = capacity.checked_add(queue)?.checked_mul(largest_factor)?;
        largest_debt.checked_add(units_per_token)?;
        Some(Self {
            count,
            per,
            burst,
            wait,
            units_per_nano,
            units_per_token,
        })
    }

    /// Returns the time in which an empty bucket fills.
    pub fn fills_in(&self) -> Duration {
        let capacity = self.burst * self.units_per_token;
        Duration::from_nanos(capacity.div_ceil(self.units_per_nano))
    }

    /// Returns the figures of the rate for an entry of this tier with this multiplier.
    pub(in crate::limit) fn scaled(&self, tier: Tier, multiplier: Multiplier) -> ScaledRate {
        let factor = tier.factor() * u64::from(multiplier);
        let capacity = self.burst * self.units_per_token * factor;
        ScaledRate {
            // If the product exceeds 64 bits, the largest `u64` still pays any debt in a nanosecond.
            units_per_nano: self.units_per_nano.saturating_mul(factor),
            units_per_token: self.units_per_token,
            capacity,
            max_debt: capacity + nanos(self.wait) * self.units_per_nano * factor,
        }
    }
}

/// A rate in units of debt, for one tier and multiplier.
#[derive(Debug, Clone, Copy)]
pub(in crate::limit) struct ScaledRate {
    /// The debt that a nanosecond pays.
    pub(in crate::limit) units_per_nano: u64,
    /// The debt that a token costs.
    pub(in crate::limit) units_per_token: u64,
    /// The debt of an empty bucket.
    pub(in crate::limit) capacity: u64,
    /// The debt of an empty bucket with a full queue. It equals the capacity if requests may not wait.
    pub(in crate::limit) max_debt: u64,
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
