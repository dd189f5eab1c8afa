//! The resources that this process used: processor time of all its threads, and bytes written.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The resources used since the start of the process, or between two moments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    at: Instant,
    processor: Duration,
    written: u64,
}

impl Usage {
    pub(crate) fn now() -> Self {
        let processor = clock_gettime(ClockId::ProcessCPUTime);
        Self {
            at: Instant::now(),
            processor: Duration::try_from(processor).unwrap(),
            written: written(),
        }
    }

    /// Returns the seconds, the microseconds of processor time and the bytes written since then.
    pub(crate) fn since(self) -> (f64, f64, f64) {
        let now = Self::now();
        let written = u32::try_from((now.written - self.written) / 1024).unwrap();
        (
            (now.at - self.at).as_secs_f64(),
            (now.processor - self.processor).as_secs_f64() * 1e6,
            f64::from(written) * 1024.0,
        )
    }
}

/// The bytes that this process caused to be written to disks.
fn written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = io
        .lines()
        .find_map(|line| line.strip_prefix("write_bytes: "));
    line.unwrap().parse().unwrap()
}
