//! The thresholds and heaps of the C library's allocator, set so that it returns large blocks to the system.
//!
//! By default glibc raises its thresholds each time a large block is freed, up to 32 MiB. From then on such blocks lie
//! between pastes and keep the memory around them resident. With a store of 128 MiB and pages being rendered, the
//! process grew to 645 MiB in seven minutes and went on growing. With fixed thresholds it takes 268 MiB after twenty
//! minutes.
//! By default glibc also makes eight heaps per core. Each keeps what was freed between blocks in use: a third of 150 MiB
//! was in use while eight threads highlighted texts in all languages. With one heap per core, half of 86 MiB was.
//! Invariants: thresholds that the operator sets are left alone. This file has the only `unsafe` code of the crate.
//! Cost: three calls at the start, which do not fail for these values.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::env;

/// The free memory that the allocator may keep at the end of a heap, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TRIM_THRESHOLD: i32 = 1024 * 1024;

/// The variables by which an operator configures the allocator (`mallopt(3)`).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
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
    if !OPERATOR_VARIABLES
        .iter()
        .any(|variable| env::var_os(variable).is_some())
    {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // SAFETY: `mallopt` takes two integers and changes the allocator's parameters under the allocator's own lock.
        #[allow(unsafe_code, reason = "the standard library has no such call")]
        unsafe {
            libc::mallopt(
                libc::M_MMAP_THRESHOLD,
                min_block.try_into().unwrap_or(i32::MAX),
            );
            libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_THRESHOLD);
            libc::mallopt(libc::M_ARENA_MAX, cores.try_into().unwrap_or(i32::MAX));
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = min_block;
}
