//! Counts: how often a paste was read in each of the last hours and days.
//!
//! For privacy, no data about the readers is recorded.
//! Invariants: each read counts in exactly one hour and one day. Reads older than [`DAYS`] days are forgotten. Hours
//! and days are those of UTC. The latest hour and the latest day are not over yet.
//! Cost: 220 bytes. Counting a read increments two numbers. It also clears the numbers of the hours and days since the
//! last read.

use super::Timestamp;

/// The number of hours that are counted.
const HOURS: usize = 24;

/// The number of days that are counted.
const DAYS: usize = 30;

/// The number of milliseconds in an hour.
const HOUR: u64 = 60 * 60 * 1000;

/// How often a paste was read, by hour and by day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The reads of each hour. The index is the number of the hour since 1970, modulo [`HOURS`].
    hours: [u32; HOURS],
    /// The reads of each day. The index is the number of the day since 1970, modulo [`DAYS`].
    days: [u32; DAYS],
    /// The latest hour, in hours since 1970.
    latest: u32,
}

impl Counts {
    /// Makes counts without any reads.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self {
            hours: [0; HOURS],
            days: [0; DAYS],
            latest: hour_of(now),
        }
    }

    /// Counts one read.
    pub fn count(&mut self, now: Timestamp) {
        self.advance_to(now);
        let add = |count: &mut u32| *count = count.saturating_add(1);
        add(&mut self.hours[self.latest as usize % HOURS]);
        add(&mut self.days[day_of(self.latest) as usize % DAYS]);
    }

    /// Returns the reads in each of the last 24 hours. The current hour is last.
    #[must_use]
    pub fn by_hour(&self, now: Timestamp) -> [u32; HOURS] {
        let mut counts = self.clone();
        counts.advance_to(now);
        counts
            .hours
            .rotate_left((counts.latest as usize + 1) % HOURS);
        counts.hours
    }

    /// Returns the reads in each of the last 30 days. The current day is last.
    #[must_use]
    pub fn by_day(&self, now: Timestamp) -> [u32; DAYS] {
        let mut counts = self.clone();
        counts.advance_to(now);
        let today = day_of(counts.latest) as usize;
        counts.days.rotate_left((today + 1) % DAYS);
        counts.days
    }

    /// Makes the hour of `now` the latest hour, and clears the numbers of the hours and days since the previous one. A
    /// `now` before the latest hour changes nothing: two threads may read the clock in one order and count in the
    /// other.
    fn advance_to(&mut self, now: Timestamp) {
        let hour = hour_of(now).max(self.latest);
        for passed in (self.latest + 1..=hour).rev().take(HOURS) {
            self.hours[passed as usize % HOURS] = 0;
        }
        for passed in (day_of(self.latest) + 1..=day_of(hour)).rev().take(DAYS) {
            self.days[passed as usize % DAYS] = 0;
        }
        self.latest = hour;
    }
}

fn hour_of(now: Timestamp) -> u32 {
    u32::try_from(now.as_millis() / HOUR).unwrap_or(u32::MAX - 1)
}

fn day_of(hour: u32) -> u32 {
    hour / 24
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(minutes: u64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    #[test]
    fn counts_take_as_many_bytes_as_the_budget_charges() {
        assert_eq!(size_of::<Counts>(), 220);
    }

    #[test]
    fn a_read_is_in_its_hour_for_a_day_and_in_its_day_for_thirty() {
        let mut counts = Counts::new(at(0));
        counts.count(at(0));
        counts.count(at(59));
        counts.count(at(60));
        assert_eq!(counts.by_hour(at(61))[22..], [2, 1]);
        assert_eq!(counts.by_hour(at(24 * 60 - 1))[..2], [2, 1]);
        assert_eq!(counts.by_hour(at(24 * 60))[..2], [1, 0]);
        assert_eq!(counts.by_hour(at(25 * 60)), [0; HOURS]);
        assert_eq!(counts.by_day(at(61))[29], 3);
        assert_eq!(counts.by_day(at(30 * 24 * 60 - 1))[0], 3);
        assert_eq!(counts.by_day(at(30 * 24 * 60)), [0; DAYS]);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_list_of_all_reads(steps in prop::collection::vec((0u64..3000, 0u32..4), 0..60)) {
            let (mut now, mut reads) = (0, Vec::new());
            let mut counts = Counts::new(at(0));
            for (pause, times) in steps {
                now += pause;
                for _ in 0..times {
                    counts.count(at(now));
                    reads.push(now / 60);
                }
                let hour = now / 60;
                let in_hour = |ago: u64| reads.iter().filter(|read| **read + ago == hour).count();
                let in_day = |ago: u64| reads.iter().filter(|read| **read / 24 + ago == hour / 24).count();
                let told = |counts: &[u32]| counts.iter().rev().map(|count| *count as usize).collect::<Vec<_>>();
                prop_assert_eq!(told(&counts.by_hour(at(now))), (0..24).map(in_hour).collect::<Vec<_>>());
                prop_assert_eq!(told(&counts.by_day(at(now))), (0..30).map(in_day).collect::<Vec<_>>());
            }
        }
    }
}
