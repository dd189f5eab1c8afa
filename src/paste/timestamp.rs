//! Moments and deadlines: points on the process's monotonic clock.
//!
//! What it must not know: the clock itself, and the date: a step of the wall clock moves no deadline.
//! Invariants: a deadline lies after the moment it was made at; the far end of time saturates instead of wrapping.

use std::time::Duration;

use super::Expiry;

/// A point in time, in milliseconds since the process's clock began; 584 million years fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The moment this long after the clock began; parts of a millisecond are dropped.
    #[must_use]
    pub fn since_start(elapsed: Duration) -> Self {
        Self(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The millisecond after it.
    pub(super) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Milliseconds since the clock began.
    #[must_use]
    pub fn as_millis(self) -> u64 {
        self.0
    }
}

/// A moment in six bytes: what lies beyond the 8,919 years that fit is cut to them.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortTimestamp([u8; 6]);

impl From<Timestamp> for ShortTimestamp {
    fn from(timestamp: Timestamp) -> Self {
        let [a, b, c, d, e, f, ..] = timestamp.0.min((1 << 48) - 1).to_le_bytes();
        Self([a, b, c, d, e, f])
    }
}

impl From<ShortTimestamp> for Timestamp {
    fn from(ShortTimestamp([a, b, c, d, e, f]): ShortTimestamp) -> Self {
        Self(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }
}

/// When a paste goes out: from this moment on it is gone.
///
/// The largest value stands for never, which keeps a deadline at eight bytes and orders it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline(u64);

impl Deadline {
    /// The deadline of what never goes out by itself.
    pub const NEVER: Self = Self(u64::MAX);

    /// The end of `expiry` begun at `start`. A finite lifetime too long for the clock ends at its last millisecond
    /// but one: it is not silently turned into never.
    #[must_use]
    pub fn after(start: Timestamp, expiry: Expiry) -> Self {
        match expiry {
            Expiry::Seconds(seconds) => {
                let millis = seconds.get().saturating_mul(1000);
                Self(start.0.saturating_add(millis).min(u64::MAX - 1))
            }
            Expiry::Never => Self::NEVER,
        }
    }

    /// Whether it has come: true from the deadline's own millisecond on.
    #[must_use]
    pub fn has_passed(self, now: Timestamp) -> bool {
        self != Self::NEVER && self.0 <= now.0
    }

    /// The moment it stands for; none for never.
    #[must_use]
    pub fn timestamp(self) -> Option<Timestamp> {
        (self != Self::NEVER).then_some(Timestamp(self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::since_start(Duration::from_millis(millis))
    }

    #[test]
    fn a_deadline_passes_in_its_own_millisecond_and_not_one_earlier() {
        let deadline = Deadline::after(at(500), Expiry::Seconds(NonZeroU64::MIN));
        assert!(!deadline.has_passed(at(1499)));
        assert!(deadline.has_passed(at(1500)));
    }

    #[test]
    fn six_bytes_hold_a_moment_to_the_millisecond_for_8919_years() {
        for millis in [0, 1, 0x0102_0304_0506, (1 << 48) - 1] {
            assert_eq!(
                Timestamp::from(ShortTimestamp::from(at(millis))),
                at(millis)
            );
        }
        let cut = Timestamp::from(ShortTimestamp::from(at(u64::MAX)));
        assert_eq!(cut, at((1 << 48) - 1));
    }

    #[test]
    fn never_does_not_pass_at_the_end_of_time() {
        assert!(!Deadline::NEVER.has_passed(Timestamp(u64::MAX)));
    }

    #[test]
    fn the_longest_lifetime_saturates_and_is_still_not_never() {
        let deadline = Deadline::after(at(500), Expiry::Seconds(NonZeroU64::MAX));
        assert_ne!(deadline, Deadline::NEVER);
        assert!(!deadline.has_passed(at(u64::MAX - 2)));
    }
}
