//! The C library's allocator, told once to give large blocks back.
//!
//! By itself glibc raises its thresholds with every large block that is freed, up to 32 MiB: from then on such blocks lie
//! between pastes and keep what is around them resident. With a store of 128 MiB and pages being rendered, the process
//! was seen to take 645 MiB after seven minutes, and growing; with fixed thresholds 246 MiB, and no more.
//! What it must not know: settings of this program.
//! Invariants: what the operator says of the allocator stands. It is told by its environment, which it reads before the
//! program begins, so the program begins anew, as the same process. Where that fails it goes on as it is.
//! Cost: a start takes a millisecond longer.

/// Variables of glibc (`mallopt(3)`). Blocks of this size are mapped by themselves and given back when they are freed;
/// those below, such as the connections' buffers, would be mapped with every answer. So much may be kept at the end of a
/// heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const THRESHOLDS: [(&str, &str); 2] = [
    ("MALLOC_MMAP_THRESHOLD_", "262144"),
    ("MALLOC_TRIM_THRESHOLD_", "1048576"),
];

/// Begins the program anew, if its allocator was not told.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn settle_allocator() {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    let mut told = THRESHOLDS
        .iter()
        .map(|(name, _)| name)
        .chain(&["GLIBC_TUNABLES"]);
    if told.any(|name| env::var_os(name).is_some()) {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut arguments = env::args_os();
    let mut anew = Command::new(program);
    if let Some(name) = arguments.next() {
        anew.arg0(name);
    }
    // It comes back only if it could not; nothing depends on it.
    let _ = anew.args(arguments).envs(THRESHOLDS).exec();
}

/// Other allocators have no such thresholds.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn settle_allocator() {}
