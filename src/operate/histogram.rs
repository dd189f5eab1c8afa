//! A histogram of durations, which all threads count.
//!
//! Invariant: every histogram has the same buckets, [`Histogram::BOUNDS`].
//! Cost: two relaxed additions for each duration.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of buckets. The last one has no upper bound.
const BUCKETS: usize = 13;

/// Counts durations by their length.
#[derive(Debug, Default)]
pub struct Histogram {
    micros: AtomicU64,
    counts: [AtomicU64; BUCKETS],
}

/// The counts of a histogram at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durations {
    /// The sum of all durations.
    pub total: Duration,
    /// The number of durations in each bucket. The last bucket has those above all bounds.
    pub counts: [u64; BUCKETS],
}

impl Histogram {
    /// The longest duration of each bucket except the last.
    pub const BOUNDS: [Duration; BUCKETS - 1] = [
        Duration::from_micros(100),
        Duration::from_micros(500),
        Duration::from_millis(1),
        Duration::from_micros(2500),
        Duration::from_millis(5),
        Duration::from_millis(10),
        Duration::from_millis(25),
        Duration::from_millis(50),
        Duration::from_millis(100),
        Duration::from_millis(250),
        Duration::from_secs(1),
        Duration::from_secs(5),
    ];

    /// Counts one duration.
    pub fn count(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = Self::BOUNDS.iter().position(|bound| duration <= *bound);
        self.counts[bucket.unwrap_or(BUCKETS - 1)].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns the present counts. Those of durations that are counted meanwhile may be missing.
    pub fn durations(&self) -> Durations {
        Durations {
            total: Duration::from_micros(self.micros.load(Ordering::Relaxed)),
            counts: std::array::from_fn(|bucket| self.counts[bucket].load(Ordering::Relaxed)),
        }
    }
}

impl Durations {
    /// Returns the counts of both.
    pub fn plus(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            counts: std::array::from_fn(|bucket| self.counts[bucket] + other.counts[bucket]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_in_the_first_bucket_whose_bound_it_does_not_exceed() {
        for (micros, bucket) in [(0, 0), (100, 0), (101, 1), (1000, 2), (5_000_000, 11)] {
            let histogram = Histogram::default();
            histogram.count(Duration::from_micros(micros));
            let durations = histogram.durations();
            assert_eq!(durations.total, Duration::from_micros(micros));
            let only = std::array::from_fn(|at| u64::from(at == bucket));
            assert_eq!(durations.counts, only, "{micros}");
        }
    }

    #[test]
    fn a_duration_above_all_bounds_is_in_the_last_bucket() {
        let histogram = Histogram::default();
        histogram.count(Duration::from_secs(6));
        histogram.count(Duration::from_secs(7));
        let durations = histogram.durations();
        assert_eq!((durations.total.as_secs(), durations.counts[12]), (13, 2));
    }
}
