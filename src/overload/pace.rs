//! Pace: whether a client sends or reads fast enough to be waited for.
//!
//! What it must not know: what is sent, who waits.
//! Invariants: what moves [`LEAST_BYTES`] in every [`PERIOD`] keeps up, whatever it does in between; a patient one keeps
//! up as long as no pause of it is longer than [`LONGEST_PAUSE`].
//! Why periods and not an average: a body that came fast and then stalls is found out one period later.

use std::time::Duration;

/// Looked at after each of these.
const PERIOD: Duration = Duration::from_secs(15);

/// A KiB a second.
const LEAST_BYTES: u64 = 15 * 1024;

/// A pipe may pause as long as what it waits for: `make 2>&1 | curl -T - HOST`.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// How fast something moves, by the clock of the process.
#[derive(Debug, Clone, Copy)]
pub struct ThroughputMonitor {
    measure: Measure,
    last_move: Duration,
}

#[derive(Debug, Clone, Copy)]
enum Measure {
    /// Bytes since the period began.
    Rate { began: Duration, moved: u64 },
    /// Pauses only.
    Pauses,
}

impl ThroughputMonitor {
    /// Of something that begins now and has to keep its rate.
    #[must_use]
    pub fn new(now: Duration) -> Self {
        Self {
            measure: Measure::Rate {
                began: now,
                moved: 0,
            },
            last_move: now,
        }
    }

    /// So many bytes more have moved. Those that come when a good period is over begin the next, though nobody has
    /// asked yet.
    pub fn moved(&mut self, now: Duration, bytes: u64) {
        self.last_move = now;
        if let Measure::Rate { began, moved } = &mut self.measure {
            if now >= began.saturating_add(PERIOD) && *moved >= LEAST_BYTES {
                (*began, *moved) = (now, 0);
            }
            *moved = moved.saturating_add(bytes);
        }
    }

    /// From now on only pauses count.
    pub fn be_patient(&mut self) {
        self.measure = Measure::Pauses;
    }

    /// Whether only pauses count.
    #[must_use]
    pub fn is_patient(&self) -> bool {
        matches!(self.measure, Measure::Pauses)
    }

    /// When to ask next whether it keeps up.
    #[must_use]
    pub fn next_look(&self) -> Duration {
        match self.measure {
            Measure::Rate { began, .. } => began.saturating_add(PERIOD),
            Measure::Pauses => self.last_move.saturating_add(LONGEST_PAUSE),
        }
    }

    /// Whether it keeps up. A period that is over and was good makes room for the next.
    pub fn keeps_up(&mut self, now: Duration) -> bool {
        if now < self.next_look() {
            return true;
        }
        match &mut self.measure {
            Measure::Rate { began, moved } => {
                let enough = *moved >= LEAST_BYTES;
                (*began, *moved) = (now, 0);
                enough
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
    fn a_kibibyte_a_second_keeps_up_and_a_byte_less_does_not() {
        for (bytes, keeps_up) in [(LEAST_BYTES, true), (LEAST_BYTES - 1, false)] {
            let mut pace = ThroughputMonitor::new(at(100));
            pace.moved(at(101), bytes);
            assert!(
                pace.keeps_up(at(114)),
                "nobody asks before the period is over"
            );
            assert_eq!(pace.keeps_up(at(115)), keeps_up);
        }
    }

    #[test]
    fn what_comes_at_the_end_of_a_period_before_anybody_asks_is_of_the_next() {
        let mut pace = ThroughputMonitor::new(at(0));
        pace.moved(at(1), LEAST_BYTES);
        pace.moved(at(15), LEAST_BYTES);
        assert!(pace.keeps_up(at(15)) && pace.keeps_up(at(30)));
        assert!(!pace.keeps_up(at(45)));
    }

    #[test]
    fn what_was_fast_and_stalls_is_found_out_a_period_later() {
        let mut pace = ThroughputMonitor::new(at(0));
        pace.moved(at(1), 1 << 30);
        assert!(pace.keeps_up(at(15)));
        assert_eq!(pace.next_look(), at(30));
        assert!(!pace.keeps_up(at(30)));
    }

    #[test]
    fn who_is_waited_for_with_patience_may_pause_for_ten_minutes_but_no_longer() {
        let mut pace = ThroughputMonitor::new(at(0));
        pace.be_patient();
        assert!(pace.keeps_up(at(599)));
        pace.moved(at(599), 1);
        assert_eq!(pace.next_look(), at(1199));
        assert!(pace.keeps_up(at(1198)) && !pace.keeps_up(at(1199)));
    }
}
