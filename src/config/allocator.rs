//! The C library's allocator, told once to give large blocks back.
//!
//! By itself glibc raises its thresholds with every large block that is freed, up to 32 MiB: from then on such blocks lie
//! between pastes and keep what is around them resident. With a store of 128 MiB and pages being rendered, the process
//! was seen to take 645 MiB after seven minutes, and growing; with these thresholds it takes 268 MiB after twenty.
//! What it must not know: settings of this program.
//! Invariants: what the operator says of the allocator stands. It is told by its environment, which it reads before the
//! program begins, so the program begins anew, as the same process. Where that fails it goes on as it is.
//! Cost: a start takes two milliseconds longer: 10.3 instead of 8.0 to the first answer.

#![cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    allow(
        dead_code,
        unused_imports,
        reason = "other allocators need not be told"
    )
)]

use std::env;
use std::ffi::OsStr;
use std::path::Path;

/// So much may be kept at the end of a heap.
const KEPT: usize = 1024 * 1024;

/// What tells the program that it was begun anew. Not one of the allocator's variables: the system takes those from a
/// program with privileges of its own, which would begin for ever.
const MARK: &str = "ALLOCATOR_SETTLED";

/// Variables by which an operator may have told the allocator already (`mallopt(3)`).
const TOLD: [&str; 3] = [
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
    "GLIBC_TUNABLES",
];

/// Begins the program anew, if its allocator was not told to give back blocks of this many bytes and more.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn settle_allocator(pages_from: usize) {
    use std::os::unix::process::CommandExt;

    let mut arguments = env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), env::current_exe()) else {
        return;
    };
    if !is_to_begin_anew(&name, &program, |variable| env::var_os(variable).is_some()) {
        return;
    }
    // It comes back only if it could not; nothing depends on it.
    let _ = std::process::Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(MARK, "1")
        .env("MALLOC_MMAP_THRESHOLD_", pages_from.to_string())
        .env("MALLOC_TRIM_THRESHOLD_", KEPT.to_string())
        .exec();
}

/// Other allocators have no such thresholds.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn settle_allocator(_: usize) {}

/// Whether the program that was started under this name, and is this file, is to begin anew. Started by a loader that was
/// named, the file is the loader's, and would be begun in its place.
fn is_to_begin_anew(name: &OsStr, program: &Path, is_set: impl Fn(&str) -> bool) -> bool {
    let is_told = TOLD.iter().any(|variable| is_set(variable));
    let is_itself = Path::new(name).file_name() == program.file_name();
    is_itself && !is_told && !is_set(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins_anew(name: &str, program: &str, set: &[&str]) -> bool {
        let is_set = |variable: &str| set.contains(&variable);
        is_to_begin_anew(OsStr::new(name), Path::new(program), is_set)
    }

    #[test]
    fn the_program_begins_anew_once_and_never_where_the_operator_spoke() {
        assert!(begins_anew("tidebin", "/usr/local/bin/tidebin", &[]));
        assert!(begins_anew(
            "./tidebin",
            "/srv/tidebin",
            &["PATH", "MALLOC_ARENA_MAX"]
        ));
        for set in [MARK, "GLIBC_TUNABLES", "MALLOC_TRIM_THRESHOLD_"] {
            assert!(!begins_anew("tidebin", "/srv/tidebin", &[set]), "{set}");
        }
    }

    #[test]
    fn a_loader_is_not_begun_in_the_programs_place() {
        let loader = "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
        assert!(!begins_anew("./tidebin", loader, &[]));
    }
}
