//! A token bucket: how much of a rate was used, in whole units.
//!
//! What it must not know: the clock, whose bucket it is, what a token is taken for.
//! Invariants: no fraction is ever lost; time that goes back counts as no time; long idleness fills the bucket and no
//! more, and so does giving back; no wait is longer than an empty bucket with a full queue takes; nothing overflows,
//! for [`Rate::new`] refuses figures that would.
//! Cost: 16 bytes; a decision is one multiplication, and one division if the answer is not "at once".
//! Why units and not tokens: a rate of N tokens in D nanoseconds, reduced to lowest terms, lets each nanosecond pay N
//! units of debt, and a token costs D. Both are whole, so 5 tokens in 8 seconds come out exactly, for ever.

use std::time::Duration;

use super::{Multiplier, Tier, nanos};

/// How many times a client's figures its network has.
pub const NETWORK_FACTOR: u64 = 16;

/// So many tokens in so much time, up to a burst; perhaps with a wait instead of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    count: u64,
    per: Duration,
    burst: u64,
    wait: Duration,
    /// Units that one nanosecond pays.
    pay: u64,
    /// Units that a token costs.
    price: u64,
}

impl Rate {
    /// `count` tokens in `per`, `burst` at once at most; a token that will be there within `wait` may be waited for.
    /// None if a figure is zero (a wait may be), or so large that the debt of a network with the largest factor would
    /// not fit 64 bits: of one token a day a burst of 133 fits, and of 134 does not.
    #[must_use]
    pub fn new(count: u64, per: Duration, burst: u64, wait: Duration) -> Option<Self> {
        let nanoseconds = u64::try_from(per.as_nanos()).ok()?;
        if count == 0 || nanoseconds == 0 || burst == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(count, nanoseconds);
        let (pay, price) = (count / divisor, nanoseconds / divisor);
        let capacity = burst.checked_mul(price)?;
        let patience = u64::try_from(wait.as_nanos()).ok()?.checked_mul(pay)?;
        let most_times = NETWORK_FACTOR * u64::from(Multiplier::MAX);
        let most_debt = capacity.checked_add(patience)?.checked_mul(most_times)?;
        most_debt.checked_add(price)?;
        Some(Self {
            count,
            per,
            burst,
            wait,
            pay,
            price,
        })
    }

    /// Tokens that come in [`Self::per`].
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The time in which [`Self::count`] tokens come.
    #[must_use]
    pub fn per(&self) -> Duration {
        self.per
    }

    /// Tokens that a full bucket has.
    #[must_use]
    pub fn burst(&self) -> u64 {
        self.burst
    }

    /// How long a request may wait for its token; zero if it is refused instead.
    #[must_use]
    pub fn wait(&self) -> Duration {
        self.wait
    }

    /// The time in which an empty bucket fills.
    #[must_use]
    pub fn fills_in(&self) -> Duration {
        Duration::from_nanos((self.burst * self.price).div_ceil(self.pay))
    }

    /// The rate with all its figures as many times as large as those of this tier are, times a factor.
    pub(super) fn scaled(&self, tier: Tier, multiplier: Multiplier) -> ScaledRate {
        let factor = tier.factor() * u64::from(multiplier);
        let capacity = self.burst * self.price * factor;
        ScaledRate {
            // A nanosecond that pays more than 64 bits pays any debt.
            pay: self.pay.saturating_mul(factor),
            price: self.price,
            capacity,
            ceiling: capacity + nanos(self.wait) * self.pay * factor,
        }
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A rate in units, for a client or for a network.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledRate {
    /// What a nanosecond pays.
    pay: u64,
    /// What a token costs.
    price: u64,
    /// The debt of an empty bucket.
    capacity: u64,
    /// The debt beyond which nobody may wait; the capacity, if nobody may at all.
    ceiling: u64,
}

/// What was used of a rate. All zeros is a full bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// Units owed at the time of the last charge.
    debt: u64,
    /// When that was, in nanoseconds.
    settled: u64,
}

impl Bucket {
    /// The one whose two words begin here in an entry.
    #[inline]
    pub(super) fn in_entry(entry: &[u64], word: usize) -> Self {
        let (debt, settled) = (entry[word], entry[word + 1]);
        Self { debt, settled }
    }

    /// Writes it there.
    #[inline]
    pub(super) fn put(self, entry: &mut [u64], word: usize) {
        (entry[word], entry[word + 1]) = (self.debt, self.settled);
    }

    /// How many nanoseconds a request of now has to wait for its token; or, if it may not wait that long, after how
    /// many it may ask again and will not be refused.
    #[inline]
    pub(super) fn wait_for_token(self, now: u64, scaled: &ScaledRate) -> Result<u64, u64> {
        let owed = self.debt_at(now, scaled) + scaled.price;
        if owed <= scaled.capacity {
            return Ok(0);
        }
        if owed <= scaled.ceiling {
            return Ok((owed - scaled.capacity).div_ceil(scaled.pay));
        }
        Err((owed - scaled.ceiling).div_ceil(scaled.pay))
    }

    /// Takes a token, or what there is to be waited for; never more than an empty bucket and its queue owe.
    #[inline]
    pub(super) fn take(self, now: u64, scaled: &ScaledRate) -> Self {
        let owed = self.debt_at(now, scaled) + scaled.price;
        Self {
            debt: owed.min(scaled.ceiling),
            settled: self.settled.max(now),
        }
    }

    /// Puts a token back that was taken at that moment and not used. Never more than time has left of its price: if
    /// others were charged since, time may have repaid it before they came, and then the debt is theirs.
    pub(super) fn refund(self, charged_at: u64, now: u64, scaled: &ScaledRate) -> Self {
        let repaid = if self.settled == charged_at {
            0
        } else {
            now.saturating_sub(charged_at).saturating_mul(scaled.pay)
        };
        Self {
            debt: self
                .debt
                .saturating_sub(scaled.price.saturating_sub(repaid)),
            settled: self.settled,
        }
    }

    /// Whether there is no whole token.
    pub(super) fn is_empty(self, now: u64, scaled: &ScaledRate) -> bool {
        self.debt_at(now, scaled) + scaled.price > scaled.capacity
    }

    /// Whole tokens.
    pub(super) fn tokens(self, now: u64, scaled: &ScaledRate) -> u64 {
        scaled.capacity.saturating_sub(self.debt_at(now, scaled)) / scaled.price
    }

    /// Nanoseconds until there is one token more; zero if it is full.
    pub(super) fn next_token_in(self, now: u64, scaled: &ScaledRate) -> u64 {
        match self.debt_at(now, scaled) {
            0 => 0,
            debt if debt > scaled.capacity - scaled.price => {
                (debt - (scaled.capacity - scaled.price)).div_ceil(scaled.pay)
            }
            debt => ((debt - 1) % scaled.price + 1).div_ceil(scaled.pay),
        }
    }

    /// Nanoseconds until it is full.
    pub(super) fn full_in(self, now: u64, scaled: &ScaledRate) -> u64 {
        match self.debt_at(now, scaled) {
            0 => 0,
            debt => debt.div_ceil(scaled.pay),
        }
    }

    #[inline]
    fn debt_at(self, now: u64, scaled: &ScaledRate) -> u64 {
        let elapsed = now.saturating_sub(self.settled);
        // It is more than the ceiling if the figures were larger when it was made.
        let debt = self.debt.min(scaled.ceiling);
        debt.saturating_sub(elapsed.saturating_mul(scaled.pay))
    }
}
