//! All counters of the server at one time.

use std::fs;
use std::time::Duration;

use super::histogram::Durations;
use super::requests::{REFUSALS, RequestCounts};
use crate::app::Activity;
use crate::limit::LimiterStats;
use crate::overload::{Connections, Load};
use crate::page::PageCacheStats;
use crate::paste::Timestamp;
use crate::store::StoreStats;

/// Counts since the start of the server, and the current load and occupancy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counters {
    /// Answered requests, of every method and route that had one.
    pub requests: Vec<RequestCounts>,
    /// Refused saves, in the order of [`REFUSALS`].
    pub refused_saves: [u64; REFUSALS.len()],
    /// Saves and reads.
    pub activity: Activity,
    /// The stored and the removed pastes.
    pub store: StoreStats,
    /// When the last backup was completed, if there is a data directory: 1970 without one.
    pub last_backup: Option<Timestamp>,
    /// Admitted requests by action, denied requests by rule, and the occupancy of the tables of clients and networks.
    pub limits: LimiterStats,
    /// Work in progress, and requests rejected because of overload.
    pub load: Load,
    /// Open connections.
    pub connections: Connections,
    /// The processor time of rendered pages.
    pub renders: Durations,
    /// The cache of pages.
    pub pages: PageCacheStats,
    /// The process.
    pub process: Process,
}

/// The process of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// When it started.
    pub started: Timestamp,
    /// The processor time that all of its threads have used.
    pub processor_time: Duration,
    /// Bytes of memory that are resident, if the system tells.
    pub resident_bytes: Option<u64>,
}

/// Returns the bytes of memory that are resident, or `None` where the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    resident_in(&status)
}

/// Returns the resident bytes in this text of `/proc/PID/status`.
fn resident_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_memory_is_read_from_its_line() {
        let status = "Name:\ttidebin\nVmHWM:\t  9000 kB\nVmRSS:\t  8192 kB\n";
        assert_eq!(resident_in(status), Some(8 << 20));
        assert_eq!(resident_in("Name:\ttidebin\n"), None);
    }
}
