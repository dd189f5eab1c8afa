//! Nanoseconds: the unit in which time is counted inside the room.

use std::time::Duration;

/// The duration in nanoseconds; the largest number if they do not fit, which takes 584 years.
pub(in crate::limit) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
