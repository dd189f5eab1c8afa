//! Timestamps and deadlines: points in time, in milliseconds since 1970-01-01T00:00:00Z.
//!
//! Invariants: a deadline is later than the timestamp that it was made from. A time that is out of range becomes the
//! last one in range. It does not wrap around.

use std::time::Duration;

use super::Expiry;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Makes the timestamp this many milliseconds after 1970.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Makes the timestamp this long after 1970. Fractions of a millisecond are dropped.
    pub fn since_epoch(elapsed: Duration) -> Self {
        Self(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }

    /// Returns the time that has passed since `earlier`, or zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// Returns the timestamp one millisecond later.
    pub(super) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Returns the milliseconds since 1970.
    pub fn as_millis(self) -> u64 {
        self.0
    }
}

/// The moment at which a paste expires.
///
/// The largest value means that the paste never expires. It sorts last and needs no separate flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline(ShortMillis);

impl Deadline {
    /// The deadline of a paste that never expires.
    pub const NEVER: Self = Self(ShortMillis([u8::MAX; 6]));

    /// Makes the deadline of a paste that expires this long after `start`. A time after the year 10889 becomes the last
    /// deadline before [`Self::NEVER`], so a finite expiry never becomes `NEVER`.
    pub fn after(start: Timestamp, expiry: Expiry) -> Self {
        match expiry {
            Expiry::Seconds(seconds) => {
                let millis = seconds.get().saturating_mul(1000);
                Self::from_millis(start.0.saturating_add(millis).min(ShortMillis::MAX - 1))
            }
            Expiry::Never => Self::NEVER,
        }
    }

    /// Makes a deadline of its stored number.
    pub(crate) fn from_millis(millis: u64) -> Self {
        Self(ShortMillis::new(millis))
    }

    /// Returns the number to store.
    pub(crate) fn as_millis(self) -> u64 {
        self.0.get()
    }

    /// Returns true if the paste has expired. It expires in the millisecond of its deadline.
    pub fn has_passed(self, now: Timestamp) -> bool {
        self != Self::NEVER && self.as_millis() <= now.0
    }

    /// Returns the deadline as a timestamp, or `None` if the paste never expires.
    pub fn timestamp(self) -> Option<Timestamp> {
        (self != Self::NEVER).then(|| Timestamp(self.as_millis()))
    }
}

/// Milliseconds since 1970 in six bytes, the most significant first, as the store keeps them. They cover 8,919 years.
/// Later times become the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ShortMillis([u8; 6]);

impl ShortMillis {
    /// The maximum number of milliseconds in six bytes. It is in the year 10889.
    const MAX: u64 = (1 << 48) - 1;

    pub(super) fn new(millis: u64) -> Self {
        let [_, _, bytes @ ..] = millis.min(Self::MAX).to_be_bytes();
        Self(bytes)
    }

    pub(super) fn get(self) -> u64 {
        let Self([a, b, c, d, e, f]) = self;
        u64::from_be_bytes([0, 0, a, b, c, d, e, f])
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_deadline_passes_in_its_own_millisecond_and_not_one_earlier() {
        let deadline = Deadline::after(at(500), Expiry::Seconds(NonZeroU64::MIN));
        assert!(!deadline.has_passed(at(1499)));
        assert!(deadline.has_passed(at(1500)));
    }

    #[test]
    fn six_bytes_hold_a_timestamp_to_the_millisecond_for_8919_years() {
        for millis in [0, 1, 0x0102_0304_0506, ShortMillis::MAX] {
            assert_eq!(ShortMillis::new(millis).get(), millis);
        }
        assert_eq!(ShortMillis::new(u64::MAX).get(), ShortMillis::MAX);
    }

    #[test]
    fn six_bytes_hold_every_deadline() {
        let longest = Expiry::Seconds(NonZeroU64::MAX);
        for expiry in [Expiry::Seconds(NonZeroU64::MIN), longest, Expiry::Never] {
            let deadline = Deadline::after(at(500), expiry);
            let kept = ShortMillis::new(deadline.as_millis()).get();
            assert_eq!(Deadline::from_millis(kept), deadline);
        }
    }

    #[test]
    fn never_does_not_pass_at_the_end_of_time() {
        assert!(!Deadline::NEVER.has_passed(Timestamp(u64::MAX)));
    }

    #[test]
    fn the_longest_expiry_saturates_and_is_still_not_never() {
        let deadline = Deadline::after(at(500), Expiry::Seconds(NonZeroU64::MAX));
        assert_ne!(deadline, Deadline::NEVER);
        assert!(!deadline.has_passed(at(ShortMillis::MAX - 2)));
    }
}
