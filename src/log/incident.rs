//! Incidents: many events of one kind in a short time. An incident is logged twice: at its first event, and when it is
//! over.
//!
//! Invariants: exactly one thread reports the start of an incident, and exactly one thread reports its end. An incident
//! is over after [`QUIET_PERIOD`] without an event; the next poll notices it.
//! Cost: a poll without an ongoing incident is one atomic load.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// The time without an event after which an incident is over.
const QUIET_PERIOD: Duration = Duration::from_secs(60);

/// The state of one kind of incident.
#[derive(Debug, Default)]
pub(crate) struct Incident {
    is_ongoing: AtomicBool,
    current: Mutex<Option<Events>>,
}

/// The events of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Events {
    first: Duration,
    last: Duration,
    pub(crate) times: u64,
}

impl Events {
    /// The time from the first event to the last.
    pub(crate) fn lasted(&self) -> Duration {
        self.last.saturating_sub(self.first)
    }
}

impl Incident {
    /// Records an event. Returns true if an incident started with it.
    pub(crate) fn record(&self, now: Duration) -> bool {
        let mut current = self.current.lock();
        let starts = current.is_none();
        let events = current.get_or_insert(Events {
            first: now,
            last: now,
            times: 0,
        });
        events.last = now;
        events.times += 1;
        self.is_ongoing.store(true, Ordering::Relaxed);
        starts
    }

    /// Returns the incident if it is over. Only the first caller gets the incident; all other callers get `None`.
    pub(crate) fn poll_end(&self, now: Duration) -> Option<Events> {
        if !self.is_ongoing.load(Ordering::Relaxed) {
            return None;
        }
        let mut current = self.current.lock();
        let over = current.take_if(|events| now.saturating_sub(events.last) >= QUIET_PERIOD)?;
        self.is_ongoing.store(false, Ordering::Relaxed);
        Some(over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_start_and_the_end_are_each_reported_once() {
        let incident = Incident::default();
        assert_eq!(incident.poll_end(at(1)), None);
        assert!(incident.record(at(10)));
        assert!(!incident.record(at(30)));
        assert_eq!(incident.poll_end(at(89)), None);
        let over = incident.poll_end(at(90)).expect("it is over");
        assert_eq!((over.times, over.lasted()), (2, at(20)));
        assert_eq!(incident.poll_end(at(91)), None);
        assert!(incident.record(at(92)));
    }
}
