//! The throughput monitor: decides if a client is fast enough for the server to keep waiting for it.
//!
//! Invariants: a transfer is fast enough if it moves [`MIN_BYTES`] in every [`PERIOD`], no matter how unevenly. A
//! transfer that may pause is fast enough until a pause exceeds [`MAX_PAUSE`].
//! Reason for periods instead of an average: a body that starts fast and then stalls is noticed one period later.

use std::time::Duration;

/// The throughput is checked at the end of each period of this length.
const PERIOD: Duration = Duration::from_secs(15);

/// Minimum bytes in each period: one KiB per second.
const MIN_BYTES: u64 = 15 * 1024;

/// The longest pause of a transfer that may pause. It is long enough for `make 2>&1 | curl -T - HOST`.
pub const MAX_PAUSE: Duration = Duration::from_secs(600);

/// Measures how fast one transfer moves. Every `now` is a time on the clock of the process.
#[derive(Debug, Clone, Copy)]
pub struct ThroughputMonitor {
    measure: Measure,
    last_progress: Duration,
}

#[derive(Debug, Clone, Copy)]
enum Measure {
    /// Counts the bytes since the period started.
    Rate { period_start: Duration, bytes: u64 },
    /// Measures only the length of a pause.
    Pauses,
}

impl ThroughputMonitor {
    /// Creates a monitor for a transfer that starts now and may not pause.
    pub fn new(now: Duration) -> Self {
        Self {
            measure: Measure::Rate {
                period_start: now,
                bytes: 0,
            },
            last_progress: now,
        }
    }

    /// Counts `bytes` that were just transferred. If the current period is over and had enough bytes, a new period
    /// starts with these bytes.
    pub fn record_progress(&mut self, now: Duration, bytes: u64) {
        self.last_progress = now;
        if let Measure::Rate {
            period_start,
            bytes: counted,
        } = &mut self.measure
        {
            if now >= period_start.saturating_add(PERIOD) && *counted >= MIN_BYTES {
                (*period_start, *counted) = (now, 0);
            }
            *counted = counted.saturating_add(bytes);
        }
    }

    /// Allows the transfer to pause. From now on only the length of a pause is checked.
    pub fn allow_pause(&mut self) {
        self.measure = Measure::Pauses;
    }

    /// Returns true if the transfer may pause. Then only the length of a pause is checked.
    pub fn allows_pauses(&self) -> bool {
        matches!(self.measure, Measure::Pauses)
    }

    /// Returns the time at which [`Self::is_fast_enough`] should be called next.
    pub fn next_check(&self) -> Duration {
        match self.measure {
            Measure::Rate { period_start, .. } => period_start.saturating_add(PERIOD),
            Measure::Pauses => self.last_progress.saturating_add(MAX_PAUSE),
        }
    }

    /// Returns false if the transfer is too slow. If a period is over, the next one starts.
    pub fn is_fast_enough(&mut self, now: Duration) -> bool {
        if now < self.next_check() {
            return true;
        }
        match &mut self.measure {
            Measure::Rate {
                period_start,
                bytes,
            } => {
                let is_enough = *bytes >= MIN_BYTES;
                (*period_start, *bytes) = (now, 0);
                is_enough
            }
            Measure::Pauses => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_kibibyte_per_second_is_fast_enough_and_a_byte_less_is_not() {
        for (bytes, is_fast) in [(MIN_BYTES, true), (MIN_BYTES - 1, false)] {
            let mut monitor = ThroughputMonitor::new(at(100));
            monitor.record_progress(at(101), bytes);
            assert!(
                monitor.is_fast_enough(at(114)),
                "a period that is not over is not judged"
            );
            assert_eq!(monitor.is_fast_enough(at(115)), is_fast);
        }
    }

    #[test]
    fn bytes_after_a_good_period_and_before_its_check_count_for_the_next() {
        let mut monitor = ThroughputMonitor::new(at(0));
        monitor.record_progress(at(1), MIN_BYTES);
        monitor.record_progress(at(15), MIN_BYTES);
        assert!(monitor.is_fast_enough(at(15)) && monitor.is_fast_enough(at(30)));
        assert!(!monitor.is_fast_enough(at(45)));
    }

    #[test]
    fn a_transfer_that_was_fast_and_stalls_is_too_slow_one_period_later() {
        let mut monitor = ThroughputMonitor::new(at(0));
        monitor.record_progress(at(1), 1 << 30);
        assert!(monitor.is_fast_enough(at(15)));
        assert_eq!(monitor.next_check(), at(30));
        assert!(!monitor.is_fast_enough(at(30)));
    }

    #[test]
    fn a_transfer_that_may_pause_may_do_so_for_ten_minutes_but_no_longer() {
        let mut monitor = ThroughputMonitor::new(at(0));
        monitor.allow_pause();
        assert!(monitor.is_fast_enough(at(599)));
        monitor.record_progress(at(599), 1);
        assert_eq!(monitor.next_check(), at(1199));
        assert!(monitor.is_fast_enough(at(1198)) && !monitor.is_fast_enough(at(1199)));
    }
}
