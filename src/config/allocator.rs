//! The thresholds of the C library's allocator. One restart of the program sets them, so that freed large blocks return
//! to the system.
//!
//! By default glibc raises its thresholds each time a large block is freed, up to 32 MiB. From then on, such blocks lie
//! between pastes, and the memory around them stays resident. With a store of 128 MiB and pages being rendered, the
//! process grew to 645 MiB in seven minutes, and continued to grow. With these thresholds it takes 268 MiB after twenty
//! minutes.
//! Invariants: thresholds that the operator sets are not changed. The allocator reads its environment before `main`, so
//! the program executes itself again, as the same process. If the restart fails, the program continues without the
//! thresholds.
//! Cost: a start takes two milliseconds longer. The first response comes after 10.3 instead of 8.0 milliseconds.

#![cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    allow(
        dead_code,
        unused_imports,
        reason = "other allocators have no such thresholds"
    )
)]

use std::env;
use std::ffi::OsStr;
use std::path::Path;

/// The free memory that the allocator may keep at the end of a heap, in bytes.
const TRIM_THRESHOLD: usize = 1024 * 1024;

/// The variable that marks a restarted program. A variable of the allocator cannot serve as the mark: the system
/// removes it from a program with elevated privileges, which would then restart for ever.
const RESTARTED: &str = "ALLOCATOR_SETTLED";

/// The variables by which an operator configures the allocator (`mallopt(3)`).
const OPERATOR_VARIABLES: [&str; 3] = [
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
    "GLIBC_TUNABLES",
];

/// Restarts the program with an allocator that returns freed blocks of at least this many bytes to the system. Does
/// nothing after that restart, or if the operator configured the allocator.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn restart_with_allocator_thresholds(min_block: usize) {
    use std::os::unix::process::CommandExt;

    let mut arguments = env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), env::current_exe()) else {
        return;
    };
    if !must_restart(&name, &program, |variable| env::var_os(variable).is_some()) {
        return;
    }
    // `exec` returns only if it failed. The program also works without the restart.
    let _ = std::process::Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(RESTARTED, "1")
        .env("MALLOC_MMAP_THRESHOLD_", min_block.to_string())
        .env("MALLOC_TRIM_THRESHOLD_", TRIM_THRESHOLD.to_string())
        .exec();
}

/// Does nothing: other allocators have no such thresholds.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn restart_with_allocator_thresholds(_: usize) {}

/// Returns true if the program should restart. `name` is the name under which it was started, and `program` is its
/// file. If their names differ, the file may be a dynamic loader, which a restart would run instead of the program.
fn must_restart(name: &OsStr, program: &Path, is_set: impl Fn(&str) -> bool) -> bool {
    let is_configured = OPERATOR_VARIABLES.iter().any(|variable| is_set(variable));
    let is_itself = Path::new(name).file_name() == program.file_name();
    is_itself && !is_configured && !is_set(RESTARTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restarts(name: &str, program: &str, set: &[&str]) -> bool {
        let is_set = |variable: &str| set.contains(&variable);
        must_restart(OsStr::new(name), Path::new(program), is_set)
    }

    #[test]
    fn the_program_restarts_once_and_never_if_the_operator_configured_the_allocator() {
        assert!(restarts("tidebin", "/usr/local/bin/tidebin", &[]));
        assert!(restarts(
            "./tidebin",
            "/srv/tidebin",
            &["PATH", "MALLOC_ARENA_MAX"]
        ));
        for set in [RESTARTED, "GLIBC_TUNABLES", "MALLOC_TRIM_THRESHOLD_"] {
            assert!(!restarts("tidebin", "/srv/tidebin", &[set]), "{set}");
        }
    }

    #[test]
    fn a_dynamic_loader_is_not_restarted_in_place_of_the_program() {
        let loader = "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
        assert!(!restarts("./tidebin", loader, &[]));
    }
}
