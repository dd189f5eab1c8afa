//! Settings of the C library's allocator, and a thread that makes it return freed memory to the system.
//!
//! By default glibc raises its thresholds each time a large block is freed, up to 32 MiB. From then on such blocks lie
//! between pastes and keep the memory around them resident, so the process grows for as long as it runs. It also makes
//! eight heaps per core, and each keeps what was freed between blocks in use. So the thresholds are fixed, and there is
//! one heap per thread that allocates much: a thread takes the next heap when it first allocates, and two workers of
//! one heap wait for each other. Even so, glibc returns freed memory by itself only from the end of a heap. So a thread
//! asks it for the rest whenever resident memory has grown, and every ten seconds: see [`return_freed_memory`].
//! Invariants: an allocator that the operator configured is left alone. This file and `host_names.rs` have the only
//! `unsafe` code of the crate.
//! Cost: three calls at the start, which do not fail for these values. The thread reads one small file four times per
//! second.

use std::time::Duration;
use std::{fs, io, thread};

/// The free memory that the allocator may keep at the end of a heap, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TRIM_THRESHOLD: i32 = 1024 * 1024;

/// The threads that take a heap beside the workers: the main one, and those that log, sweep, trim and accept.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OTHER_THREADS: usize = 5;

/// How often the thread looks at the resident memory. A store of 128 MiB can be filled within a second.
const TRIM_INTERVAL: Duration = Duration::from_millis(250);

/// Freed memory is returned when resident memory has grown by this part, an eighth.
const TRIM_GROWTH: usize = 8;

/// Freed memory is returned after this many looks, ten seconds, even if resident memory has not grown. Otherwise the
/// memory of deleted pastes would stay with the process until others are saved.
const TRIM_LOOKS: u32 = 40;

/// Makes the allocator return freed blocks of at least this many bytes to the system, and starts a thread that makes it
/// return the rest when resident memory has grown, and every ten seconds.
///
/// Does nothing if the operator configured the allocator, and with other C libraries, which have no such calls. A heap
/// is locked while its freed memory is returned: a few milliseconds for a full store of 128 MiB.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub fn return_freed_memory(min_block: usize, is_configured: bool) -> io::Result<()> {
    if cfg!(all(target_os = "linux", target_env = "gnu")) && !is_configured {
        set_thresholds(min_block);
        let thread = thread::Builder::new().name("trimmer".to_owned());
        thread.spawn(|| {
            let mut since = SinceTrim::default();
            while let Some(resident) = resident_pages() {
                if since.is_over(resident) {
                    trim();
                    since = SinceTrim::default();
                } else {
                    thread::park_timeout(TRIM_INTERVAL);
                }
            }
        })?;
    }
    Ok(())
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn set_thresholds(min_block: usize) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let heaps = cores + OTHER_THREADS;
    // SAFETY: `mallopt` takes two integers and changes the allocator's parameters under the allocator's own lock.
    #[allow(unsafe_code, reason = "the standard library has no such call")]
    unsafe {
        libc::mallopt(
            libc::M_MMAP_THRESHOLD,
            min_block.try_into().unwrap_or(i32::MAX),
        );
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_THRESHOLD);
        libc::mallopt(libc::M_ARENA_MAX, heaps.try_into().unwrap_or(i32::MAX));
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    // SAFETY: `malloc_trim` takes an integer and frees only unused memory, under the allocator's locks.
    #[allow(unsafe_code, reason = "the standard library has no such call")]
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn set_thresholds(_: usize) {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}

/// Returns the resident memory of the process in pages, or `None` if the system does not tell.
fn resident_pages() -> Option<usize> {
    let sizes = fs::read_to_string("/proc/self/statm").ok()?;
    sizes.split(' ').nth(1)?.parse().ok()
}

/// Observations since freed memory was returned.
#[derive(Debug, Default)]
struct SinceTrim {
    /// The least resident memory, in pages.
    least: Option<usize>,
    looks: u32,
}

impl SinceTrim {
    /// Returns true if it is worth returning freed memory: so much is resident, or enough time has passed.
    fn is_over(&mut self, resident: usize) -> bool {
        let least = self.least.map_or(resident, |least| least.min(resident));
        self.least = Some(least);
        self.looks += 1;
        resident > least + least / TRIM_GROWTH || self.looks > TRIM_LOOKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_returned_once_it_has_grown_by_an_eighth_of_its_least() {
        // Given memory that shrank and grew since the last time
        let mut since = SinceTrim::default();
        assert!(
            ![200, 160, 165, 180]
                .map(|pages| since.is_over(pages))
                .contains(&true)
        );
        // When it has grown by more than an eighth, then freed memory is returned
        assert!(since.is_over(181));
    }

    #[test]
    fn memory_that_does_not_grow_is_returned_after_ten_seconds() {
        let mut since = SinceTrim::default();
        for look in 1..=41 {
            assert_eq!(since.is_over(200), look == 41);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_how_much_memory_is_resident() {
        assert!(resident_pages().is_some_and(|pages| pages > 0));
    }
}
