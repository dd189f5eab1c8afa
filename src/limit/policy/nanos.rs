//! Nanoseconds. The limits count time in this unit.

use std::time::Duration;

/// Returns the duration in nanoseconds. Returns the largest `u64` if the duration does not fit, which happens beyond
/// 584 years.
pub(in crate::limit) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
