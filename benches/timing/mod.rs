//! Timing on a shared machine: the typical time of a call, and the slowest of many.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each bench uses its part, and a figure of nothing should stop"
)]

use std::fmt;
use std::time::{Duration, Instant};

/// The number of parts whose median is taken.
pub const PARTS: u64 = 20;

/// Nanoseconds per call: the median of twenty equal parts of the calls, because other programs may use the machine.
pub fn timed(count: u64, mut call: impl FnMut(u64)) -> f64 {
    timed_with(count, |n| n, |_, n| call(n))
}

/// Does the same as [`timed`] for calls with an input. All inputs of a part are made before its time starts.
pub fn timed_with<T>(
    count: u64,
    mut make: impl FnMut(u64) -> T,
    mut call: impl FnMut(u64, T),
) -> f64 {
    let part = count / PARTS;
    let parts = (0..PARTS).map(|nth| {
        let numbers = nth * part..(nth + 1) * part;
        let made: Vec<T> = numbers.clone().map(&mut make).collect();
        let start = Instant::now();
        numbers.zip(made).for_each(|(n, made)| call(n, made));
        each(start.elapsed(), part)
    });
    median(parts.collect())
}

/// Nanoseconds per call if this many calls took this time.
pub fn each(all: Duration, count: u64) -> f64 {
    all.as_secs_f64() * 1e9 / f64::from(u32::try_from(count).unwrap())
}

pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// The durations of many calls.
#[derive(Debug)]
pub struct Latencies {
    sorted: Vec<Duration>,
}

impl Latencies {
    /// # Panics
    /// If there are no durations.
    pub fn of(mut all: Vec<Duration>) -> Self {
        assert!(!all.is_empty(), "nothing was measured");
        all.sort_unstable();
        Self { sorted: all }
    }

    /// The duration in milliseconds that one call in `many` exceeds: the median for 2, and p99 for 100.
    pub fn exceeded_by_one_in(&self, many: f64) -> f64 {
        self.at(self.sorted.len() - 1 - self.exceeding(many))
    }

    /// The number of calls divided by `many`, rounded down.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "no more than there are"
    )]
    pub fn exceeding(&self, many: f64) -> usize {
        (self.sorted.len() as f64 / many) as usize
    }

    pub fn longest(&self) -> f64 {
        self.at(self.sorted.len() - 1)
    }

    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    fn at(&self, nth: usize) -> f64 {
        self.sorted[nth].as_secs_f64() * 1e3
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "p50 {:.4} ms, p99 {:.4} ms, longest {:.3} ms of {}",
            self.exceeded_by_one_in(2.0),
            self.exceeded_by_one_in(100.0),
            self.longest(),
            self.count()
        )
    }
}
