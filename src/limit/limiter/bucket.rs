//! A token bucket. It records the used part of a rate as a debt, in the units of [`ScaledRate`].
//!
//! Invariants: No fraction of a token is ever lost. If the clock goes back, the bucket behaves as if time stood still.
//! Idle time and refunds never fill the bucket beyond its capacity. The longest wait is that of the last request in a
//! full queue.
//! Cost: A bucket takes 16 bytes. A decision takes one multiplication. If the request must wait or is denied, it also
//! takes one division.

use crate::limit::policy::ScaledRate;

/// Records the used part of a rate. A bucket whose fields are all zero is full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// The debt in units at the last charge.
    debt: u64,
    /// The time of the last charge, in nanoseconds.
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

    /// Returns how many nanoseconds a request must wait for its token.
    ///
    /// # Errors
    /// Returns an error if the wait would exceed the longest wait of the rate. The error is the number of nanoseconds
    /// until a request would no longer be denied.
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

    /// Takes a token, or joins the queue for one. A charge never raises the debt above that of an empty bucket with a
    /// full queue.
    #[inline]
    pub(super) fn charge(self, now: u64, rate: &ScaledRate) -> Self {
        let debt = self.debt_at(now, rate) + rate.units_per_token;
        Self {
            debt: debt.min(rate.max_debt),
            charged_at: self.charged_at.max(now),
        }
    }

    /// Gives back an unused token that was taken at `charged_at`. If nothing was charged since, the whole token is
    /// returned. Otherwise part of the token may have come back since then, and only the rest is returned. The
    /// remaining debt belongs to the later charges.
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

    /// Returns whether the bucket contains less than one whole token.
    pub(super) fn is_empty(self, now: u64, rate: &ScaledRate) -> bool {
        self.debt_at(now, rate) + rate.units_per_token > rate.capacity
    }

    /// Returns the number of whole tokens in the bucket.
    pub(super) fn tokens(self, now: u64, rate: &ScaledRate) -> u64 {
        rate.capacity.saturating_sub(self.debt_at(now, rate)) / rate.units_per_token
    }

    /// Returns the nanoseconds until the bucket contains one more token, or zero if it is full.
    pub(super) fn next_token_in(self, now: u64, rate: &ScaledRate) -> u64 {
        let one_token_left = rate.capacity - rate.units_per_token;
        match self.debt_at(now, rate) {
            0 => 0,
            debt if debt > one_token_left => (debt - one_token_left).div_ceil(rate.units_per_nano),
            debt => ((debt - 1) % rate.units_per_token + 1).div_ceil(rate.units_per_nano),
        }
    }

    /// Returns the nanoseconds until the bucket is full.
    pub(super) fn full_in(self, now: u64, rate: &ScaledRate) -> u64 {
        match self.debt_at(now, rate) {
            0 => 0,
            debt => debt.div_ceil(rate.units_per_nano),
        }
    }

    #[inline]
    fn debt_at(self, now: u64, rate: &ScaledRate) -> u64 {
        let elapsed = now.saturating_sub(self.charged_at);
        // The stored debt may exceed the maximum, because an earlier charge may have had a larger multiplier.
        let debt = self.debt.min(rate.max_debt);
        debt.saturating_sub(elapsed.saturating_mul(rate.units_per_nano))
    }
}
