//! A token bucket: how much of a rate was used, in the units of [`ScaledRate`].
//!
//! Invariants: no fraction is ever lost. A clock that goes back counts as standing still. Idleness and refunds fill the
//! bucket and never more. No wait is longer than an empty bucket with a full queue needs.
//! Cost: 16 bytes; a decision is one multiplication, and one division if the answer is not "at once".

use crate::limit::policy::ScaledRate;

/// What was used of a rate. All zeros is a full bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// Debt in units at the last charge.
    debt: u64,
    /// When the last charge was, in nanoseconds.
    charged_at: u64,
}

impl Bucket {
    /// Reads the bucket whose two words start at `word`.
    #[inline]
    pub(super) fn read(entry: &[u64], word: usize) -> Self {
        let (debt, charged_at) = (entry[word], entry[word + 1]);
        Self { debt, charged_at }
    }

    /// Writes the bucket to the two words that start at `word`.
    #[inline]
    pub(super) fn write(self, entry: &mut [u64], word: usize) {
        (entry[word], entry[word + 1]) = (self.debt, self.charged_at);
    }

    /// Returns how many nanoseconds a request has to wait for its token.
    ///
    /// # Errors
    /// If that exceeds the wait of the rate: nanoseconds until a request would no longer be denied.
    #[inline]
    pub(super) fn wait_for_token(self, now: u64, rate: &ScaledRate) -> Result<u64, u64> {
        let debt = self.debt_at(now, rate) + rate.units_per_token;
        if debt <= rate.capacity {
            return Ok(0);
        }
        if debt <= rate.max_debt {
            return Ok((debt - rate.capacity).div_ceil(rate.units_per_nano));
        }
        Err((debt - rate.max_debt).div_ceil(rate.units_per_nano))
    }

    /// Takes a token, or joins the queue for one. The debt never exceeds an empty bucket with a full queue.
    #[inline]
    pub(super) fn charge(self, now: u64, rate: &ScaledRate) -> Self {
        let debt = self.debt_at(now, rate) + rate.units_per_token;
        Self {
            debt: debt.min(rate.max_debt),
            charged_at: self.charged_at.max(now),
        }
    }

    /// Returns a token that was taken at `charged_at` and not used. If others were charged since, time may have repaid
    /// part of it before they came; then only the rest is returned, as the remaining debt is theirs.
    pub(super) fn refund(self, charged_at: u64, now: u64, rate: &ScaledRate) -> Self {
        let repaid = if self.charged_at == charged_at {
            0
        } else {
            now.saturating_sub(charged_at)
                .saturating_mul(rate.units_per_nano)
        };
        let rest = rate.units_per_token.saturating_sub(repaid);
        Self {
            debt: self.debt.saturating_sub(rest),
            charged_at: self.charged_at,
        }
    }

    /// Returns whether there is no whole token.
    pub(super) fn is_empty(self, now: u64, rate: &ScaledRate) -> bool {
        self.debt_at(now, rate) + rate.units_per_token > rate.capacity
    }

    /// The number of whole tokens.
    pub(super) fn tokens(self, now: u64, rate: &ScaledRate) -> u64 {
        rate.capacity.saturating_sub(self.debt_at(now, rate)) / rate.units_per_token
    }

    /// Nanoseconds until there is one token more; zero if the bucket is full.
    pub(super) fn next_token_in(self, now: u64, rate: &ScaledRate) -> u64 {
        let one_token_left = rate.capacity - rate.units_per_token;
        match self.debt_at(now, rate) {
            0 => 0,
            debt if debt > one_token_left => (debt - one_token_left).div_ceil(rate.units_per_nano),
            debt => ((debt - 1) % rate.units_per_token + 1).div_ceil(rate.units_per_nano),
        }
    }

    /// Nanoseconds until the bucket is full.
    pub(super) fn full_in(self, now: u64, rate: &ScaledRate) -> u64 {
        match self.debt_at(now, rate) {
            0 => 0,
            debt => debt.div_ceil(rate.units_per_nano),
        }
    }

    #[inline]
    fn debt_at(self, now: u64, rate: &ScaledRate) -> u64 {
        let elapsed = now.saturating_sub(self.charged_at);
        // The debt exceeds the maximum if it was made with a larger multiplier.
        let debt = self.debt.min(rate.max_debt);
        debt.saturating_sub(elapsed.saturating_mul(rate.units_per_nano))
    }
}
