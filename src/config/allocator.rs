//! Settings of the C library's allocator, and a thread that makes it return freed memory to the system.
//!
//! By default glibc raises its thresholds each time a large block is freed, up to 32 MiB. From then on such blocks lie
//! between pastes and keep the memory around them resident. With a store of 128 MiB and pages being rendered, the
//! process grew to 645 MiB in seven minutes and went on growing. With fixed thresholds it took 268 MiB after twenty
//! minutes.
//! By default glibc also makes eight heaps per core. Each keeps the memory that was freed between blocks in use: a
//! third of 150 MiB was in use while eight threads highlighted texts in all languages. With one heap per core, half of
//! 86 MiB was. A thread takes the next heap when it first allocates, so there are as many for the threads that start
//! before the workers: two workers of one heap wait for each other. Even so, glibc returns freed memory by itself only
//! from the end of a heap, and large blocks are in a heap that has room for them. So a thread asks it for the rest
//! whenever resident memory has grown, and every ten seconds: see [`return_freed_memory`]. Then the process takes at
//! most 205 MiB.
//! Invariants: an allocator that the operator configured is left alone. This file has the only `unsafe` code of the
//! crate.
//! Cost: three calls at the start, which do not fail for these values. The thread reads one small file four times per
//! second.

use std::time::Duration;
use std::{env, fs, io, thread};

/// The free memory that the allocator may keep at the end of a heap, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TRIM_THRESHOLD: i32 = 1024 * 1024;

/// The threads that take a heap beside the workers: the main one, and those that log, sweep, trim and accept.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OTHER_THREADS: usize = 5;

/// How often the thread looks at the resident memory.
///
/// A store of 128 MiB can be filled within a second. The peak was 1.81 times its size with one look per second, and
/// at most 1.6 times with four.
const TRIM_INTERVAL: Duration = Duration::from_millis(250);

/// Freed memory is returned when resident memory has grown by this part, an eighth.
const TRIM_GROWTH: usize = 8;

/// Freed memory is returned after this many looks, ten seconds, even if resident memory has not grown. Otherwise the
/// memory of deleted pastes would stay with the process until others are saved.
const TRIM_LOOKS: u32 = 40;

/// The variables by which an operator configures the allocator (`mallopt(3)`).
const OPERATOR_VARIABLES: [&str; 4] = [
    "MALLOC_ARENA_MAX",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
    "GLIBC_TUNABLES",
];

/// Makes the allocator return freed blocks of at least this many bytes to the system. Does nothing if the operator
/// configured the allocator, and with other C libraries, which have no such thresholds.
pub fn return_freed_blocks_from(min_block: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if is_glibc_with_its_defaults() {
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
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = min_block;
}

/// Starts a thread that makes the allocator return freed memory to the system when resident memory has grown, and
/// every ten seconds.
///
/// Does nothing if the operator configured the allocator, and with other C libraries, which have no such call. A heap
/// is locked while its freed memory is returned: both heaps of a full store of 128 MiB together took 4 ms of processor
/// time, those of 512 MiB 7 ms, and 31 ms at most.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub fn return_freed_memory() -> io::Result<()> {
    if is_glibc_with_its_defaults() {
        let thread = thread::Builder::new().name("trimmer".to_owned());
        thread.spawn(|| {
            let mut since = SinceTrim::default();
            while let Some(resident) = resident_pages() {
                if since.is_over(resident) {
                    #[cfg(all(target_os = "linux", target_env = "gnu"))]
                    // SAFETY: `malloc_trim` takes an integer and frees only unused memory, under the allocator's locks.
                    #[allow(unsafe_code, reason = "the standard library has no such call")]
                    unsafe {
                        libc::malloc_trim(0);
                    }
                    since = SinceTrim::default();
                } else {
                    thread::park_timeout(TRIM_INTERVAL);
                }
            }
        })?;
    }
    Ok(())
}

/// Returns true if the C library is glibc and the operator did not configure its allocator.
fn is_glibc_with_its_defaults() -> bool {
    let is_set = |variable| env::var_os(variable).is_some();
    cfg!(all(target_os = "linux", target_env = "gnu"))
        && !OPERATOR_VARIABLES.into_iter().any(is_set)
}

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

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
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

    #[test]
    fn the_system_tells_how_much_memory_is_resident() {
        assert!(resident_pages().is_some_and(|pages| pages > 0));
    }
}
