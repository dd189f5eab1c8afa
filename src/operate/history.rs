//! The history of the last hour and the last day: how much was counted in each minute and each hour.
//!
//! The caller passes totals that only grow. The first request of a minute reads them before it is counted itself, so
//! the difference to the last reading belongs to the minute of that reading. A longer request counts in the minute in
//! which it ends. A minute without a request has nothing to count. So no thread has to wake up.
//! Invariants: the rings have a fixed size. No count is in two minutes or in two hours.
//! Cost: one atomic read per request, and one lock per minute.

use std::ops::Add;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::requests::RequestCounts;
use crate::app::Activity;
use crate::page::ByEvent;
use crate::paste::Timestamp;

const MINUTE_MILLIS: u64 = 60_000;
const MINUTES_PER_HOUR: u64 = 60;

/// The counts since the start.
pub type Totals = ByEvent<u64>;

/// Returns the totals of these requests and saves.
pub fn totals(requests: &[RequestCounts], activity: Activity) -> Totals {
    let mut totals = Totals {
        saves: activity.created,
        ..Totals::default()
    };
    for (status, count) in requests.iter().flat_map(|counts| &counts.statuses) {
        totals.requests += count;
        if matches!(status, Some(429 | 503)) {
            totals.refused += count;
        }
    }
    totals
}

/// The history. Threads share it by reference.
#[derive(Default)]
pub struct History {
    /// The minute of the last reading, in minutes since 1970.
    minute: AtomicU64,
    rings: Mutex<Rings>,
}

struct Rings {
    /// The minute of the last reading, and the totals then.
    minute: u64,
    last: Totals,
    minutes: Ring<60>,
    hours: Ring<24>,
}

/// Counts of the last `N` units, each in the slot of its number modulo `N`, with that number.
struct Ring<const N: usize>([(u64, Totals); N]);

impl History {
    /// Reads the totals if this is the first request of a minute.
    pub fn observe(&self, now: Timestamp, totals: impl FnOnce() -> Totals) {
        let minute = now.as_millis() / MINUTE_MILLIS;
        if self.minute.load(Ordering::Relaxed) != minute {
            self.rings.lock().read(minute, totals());
            self.minute.store(minute, Ordering::Relaxed);
        }
    }

    /// Returns the counts of each of the last 60 minutes and 24 hours, oldest first.
    pub fn recent(&self, now: Timestamp, totals: Totals) -> [ByEvent<Vec<u32>>; 2] {
        let minute = now.as_millis() / MINUTE_MILLIS;
        let mut rings = self.rings.lock();
        rings.read(minute, totals);
        self.minute.store(minute, Ordering::Relaxed);
        [
            rings.minutes.series(minute),
            rings.hours.series(minute / MINUTES_PER_HOUR),
        ]
    }
}

impl Rings {
    /// Adds the counts since the last reading to the minute and the hour of that reading. The threads may read their
    /// totals in another order than they get here, so a total may be smaller than the last one.
    fn read(&mut self, minute: u64, totals: Totals) {
        let more = totals.zip(self.last, u64::saturating_sub);
        self.minutes.add(self.minute, more);
        self.hours.add(self.minute / MINUTES_PER_HOUR, more);
        self.last = self.last.zip(more, u64::add);
        self.minute = self.minute.max(minute);
    }
}

impl<const N: usize> Ring<N> {
    fn add(&mut self, unit: u64, more: Totals) {
        let slot = &mut self.0[Self::slot(unit)];
        if slot.0 != unit {
            *slot = (unit, Totals::default());
        }
        slot.1 = slot.1.zip(more, u64::add);
    }

    /// Returns the counts of the last `N` units, of which `current` is the last.
    fn series(&self, current: u64) -> ByEvent<Vec<u32>> {
        let mut series = ByEvent::default();
        for ago in (0..N as u64).rev() {
            let slot = current.checked_sub(ago).and_then(|unit| {
                let (of, counts) = self.0[Self::slot(unit)];
                (of == unit).then_some(counts)
            });
            series = series.zip(slot.unwrap_or_default(), |mut counts: Vec<u32>, count| {
                counts.push(u32::try_from(count).unwrap_or(u32::MAX));
                counts
            });
        }
        series
    }

    fn slot(unit: u64) -> usize {
        usize::try_from(unit % N as u64).expect("less than N")
    }
}

impl Default for Rings {
    fn default() -> Self {
        Self {
            minute: 0,
            last: Totals::default(),
            minutes: Ring([Default::default(); 60]),
            hours: Ring([Default::default(); 24]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The counts of the last `units` units from the times of all events.
    fn naive(events: &[u64], now: u64, unit_millis: u64, units: u64) -> Vec<u32> {
        let current = now / unit_millis;
        let of = |unit: u64| {
            events
                .iter()
                .filter(|at| **at / unit_millis == unit)
                .count()
        };
        let units = (current + 1 - units)..=current;
        units.map(|unit| u32::try_from(of(unit)).unwrap()).collect()
    }

    proptest! {
        #[test]
        fn minutes_and_hours_have_what_a_list_of_all_requests_says(steps in prop::collection::vec((0..4_000_000_u64, 0..4_u8), 1..200)) {
            let history = History::default();
            let mut now = 1_000_000_000_000;
            let (mut totals, mut requests, mut saves) = (Totals::default(), Vec::new(), Vec::new());
            for (millis, kind) in steps {
                // Most requests are close to each other.
                now += if kind == 0 { millis } else { millis / 1000 };
                history.observe(Timestamp::from_millis(now), || totals);
                totals.requests += 1;
                requests.push(now);
                if kind == 1 {
                    totals.saves += 1;
                    saves.push(now);
                }
            }
            let [by_minute, by_hour] = history.recent(Timestamp::from_millis(now), totals);
            let minutes = |events: &[u64]| naive(events, now, MINUTE_MILLIS, 60);
            let hours = |events: &[u64]| naive(events, now, 3_600_000, 24);
            prop_assert_eq!(by_minute.requests, minutes(&requests));
            prop_assert_eq!(by_minute.saves, minutes(&saves));
            prop_assert_eq!(by_hour.requests, hours(&requests));
            prop_assert_eq!(by_hour.saves, hours(&saves));
            prop_assert_eq!(by_hour.refused, vec![0; 24]);
        }
    }
}
