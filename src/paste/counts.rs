//! Counts: how often a paste was read in each of the last hours and days.
//!
//! For privacy, no data about the readers is recorded.
//! Invariants: each read counts in exactly one hour and one day. Reads older than [`DAYS`] days are forgotten. Hours
//! and days are those of UTC. The latest hour and the latest day are not over yet.
//! Cost: the store keeps 16 bytes of a paste, as [`Reads`]: most pastes are read in one hour only. A read in a second
//! hour allocates [`Counts`], which have 220 bytes. Counting a read increments one number, and the first read of an
//! hour adds the number of the hour before to its counts.

use super::Timestamp;

/// The number of hours that are counted.
const HOURS: usize = 24;

/// The number of days that are counted.
const DAYS: usize = 30;

/// The number of milliseconds in an hour.
const HOUR: u64 = 60 * 60 * 1000;

/// How often a paste was read, by hour and by day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// The reads of each hour. The index is the number of the hour since 1970, modulo [`HOURS`].
    hours: [u32; HOURS],
    /// The reads of each day. The index is the number of the day since 1970, modulo [`DAYS`].
    days: [u32; DAYS],
    /// The latest hour, in hours since 1970.
    latest: u32,
}

/// The reads of a paste by hour and day, in the form that the store keeps.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    /// The latest hour with a read, in hours since 1970.
    hour: u32,
    /// The reads in that hour.
    in_hour: u32,
    /// The reads of earlier hours. `None` means that there are none.
    earlier: Option<Box<Counts>>,
}

impl Reads {
    /// Counts one read. A `now` before the latest hour counts in the latest hour: two threads may read the clock in one
    /// order and count in the other.
    pub(crate) fn count(&mut self, now: Timestamp) {
        let hour = hour_of(now);
        if hour > self.hour {
            if self.in_hour > 0 {
                let earlier = self.earlier.get_or_insert_default();
                earlier.add(self.hour, self.in_hour);
            }
            (self.hour, self.in_hour) = (hour, 0);
        }
        self.in_hour = self.in_hour.saturating_add(1);
    }

    /// Appends the reads in the form that is stored: the latest hour and its reads. If there are earlier reads, their
    /// latest hour follows, and then the place and the value of each number that is not zero.
    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.hour.to_le_bytes());
        bytes.extend_from_slice(&self.in_hour.to_le_bytes());
        let Some(earlier) = &self.earlier else { return };
        bytes.extend_from_slice(&earlier.latest.to_le_bytes());
        for (place, count) in (0..).zip(earlier.hours.iter().chain(&earlier.days)) {
            if *count > 0 {
                bytes.push(place);
                bytes.extend_from_slice(&count.to_le_bytes());
            }
        }
    }

    /// Returns the reads that [`Reads::write_to`] wrote. Returns `None` for other bytes.
    pub(crate) fn read_from(bytes: &[u8]) -> Option<Self> {
        let (hour, rest) = bytes.split_first_chunk()?;
        let (in_hour, rest) = rest.split_first_chunk()?;
        let mut reads = Self {
            hour: u32::from_le_bytes(*hour),
            in_hour: u32::from_le_bytes(*in_hour),
            earlier: None,
        };
        if !rest.is_empty() {
            let (latest, counts) = rest.split_first_chunk()?;
            let earlier = reads.earlier.get_or_insert_default();
            earlier.latest = u32::from_le_bytes(*latest);
            for count in counts.chunks(5) {
                let [place, count @ ..] = *<&[u8; 5]>::try_from(count).ok()?;
                let mut places = earlier.hours.iter_mut().chain(&mut earlier.days);
                *places.nth(usize::from(place))? = u32::from_le_bytes(count);
            }
        }
        Some(reads)
    }

    /// Returns the reads by hour and day.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = self.earlier.as_deref().cloned().unwrap_or_default();
        counts.add(self.hour, self.in_hour);
        counts
    }
}

impl Counts {
    /// Makes counts of numbers of reads, each with the number of its hour since 1970 if it is of an hour, or else of
    /// its day.
    pub(crate) fn from_numbers(numbers: impl Iterator<Item = (bool, u32, u32)> + Clone) -> Self {
        let mut counts = Self::default();
        let hours = |(is_hour, number, _): (bool, u32, u32)| match is_hour {
            true => number,
            false => number * 24,
        };
        counts.advance_to(numbers.clone().map(hours).max().unwrap_or(0));
        for (is_hour, number, reads) in numbers {
            let latest = counts.latest;
            if is_hour && latest - number < 24 {
                counts.hours[number as usize % HOURS] = reads;
            } else if !is_hour && day_of(latest) - number < 30 {
                counts.days[number as usize % DAYS] = reads;
            }
        }
        counts
    }

    /// Adds the reads of one hour, which is not before the latest.
    fn add(&mut self, hour: u32, reads: u32) {
        self.advance_to(hour);
        let add = |count: &mut u32| *count = count.saturating_add(reads);
        add(&mut self.hours[hour as usize % HOURS]);
        add(&mut self.days[day_of(hour) as usize % DAYS]);
    }

    /// Returns the reads in each of the last 24 hours. The current hour is last.
    pub fn by_hour(&self, now: Timestamp) -> [u32; HOURS] {
        let mut counts = self.clone();
        counts.advance_to(hour_of(now));
        counts
            .hours
            .rotate_left((counts.latest as usize + 1) % HOURS);
        counts.hours
    }

    /// Returns the reads in each of the last 30 days. The current day is last.
    pub fn by_day(&self, now: Timestamp) -> [u32; DAYS] {
        let mut counts = self.clone();
        counts.advance_to(hour_of(now));
        let today = day_of(counts.latest) as usize;
        counts.days.rotate_left((today + 1) % DAYS);
        counts.days
    }

    /// Makes this hour the latest, and clears the numbers of the hours and days since the previous one. An hour before
    /// the latest changes nothing.
    fn advance_to(&mut self, hour: u32) {
        let hour = hour.max(self.latest);
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
        assert_eq!((size_of::<Counts>(), size_of::<Reads>()), (220, 16));
    }

    #[test]
    fn a_read_is_in_its_hour_for_a_day_and_in_its_day_for_thirty() {
        let mut reads = Reads::default();
        for minutes in [0, 59, 60] {
            reads.count(at(minutes));
        }
        let counts = reads.counts();
        assert_eq!(counts.by_hour(at(61))[22..], [2, 1]);
        assert_eq!(counts.by_hour(at(24 * 60 - 1))[..2], [2, 1]);
        assert_eq!(counts.by_hour(at(24 * 60))[..2], [1, 0]);
        assert_eq!(counts.by_hour(at(25 * 60)), [0; HOURS]);
        assert_eq!(counts.by_day(at(61))[29], 3);
        assert_eq!(counts.by_day(at(30 * 24 * 60 - 1))[0], 3);
        assert_eq!(counts.by_day(at(30 * 24 * 60)), [0; DAYS]);
    }

    #[test]
    fn reads_in_one_hour_allocate_nothing_however_many_there_are() {
        let mut reads = Reads::default();
        for minutes in [600, 601, 659] {
            reads.count(at(minutes));
            assert!(reads.earlier.is_none());
        }
        reads.count(at(660));
        assert!(reads.earlier.is_some());
    }

    #[test]
    fn a_read_with_an_earlier_time_counts_in_the_latest_hour() {
        let mut reads = Reads::default();
        reads.count(at(60));
        reads.count(at(59));
        assert_eq!(reads.counts().by_hour(at(60))[22..], [0, 2]);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_list_of_all_reads(steps in prop::collection::vec((0u64..3000, 0u32..4), 0..60)) {
            let (mut now, mut reads) = (0, Vec::new());
            let mut kept = Reads::default();
            for (pause, times) in steps {
                now += pause;
                for _ in 0..times {
                    kept.count(at(now));
                    reads.push(now / 60);
                }
                let (hour, counts) = (now / 60, kept.counts());
                let in_hour = |ago: u64| reads.iter().filter(|read| **read + ago == hour).count();
                let in_day = |ago: u64| reads.iter().filter(|read| **read / 24 + ago == hour / 24).count();
                let told = |counts: &[u32]| counts.iter().rev().map(|count| *count as usize).collect::<Vec<_>>();
                prop_assert_eq!(told(&counts.by_hour(at(now))), (0..24).map(in_hour).collect::<Vec<_>>());
                prop_assert_eq!(told(&counts.by_day(at(now))), (0..30).map(in_day).collect::<Vec<_>>());
            }
        }
    }
}
