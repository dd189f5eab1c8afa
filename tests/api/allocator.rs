//! The memory of the program: large freed blocks go back to the system, unless the operator configured the allocator.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use crate::client::until;
use crate::process::{Running, resident_bytes};
use crate::server::Saved;

#[test]
fn the_memory_of_large_deleted_pastes_goes_back_to_the_system() {
    let memory = after_deletions(&[]);
    // Blocks that are in a heap are returned after ten seconds.
    until(|| memory.is_returned());
}

#[test]
fn the_settings_of_the_operator_for_the_allocator_are_left_alone() {
    for (variable, value) in [
        ("MALLOC_MMAP_THRESHOLD_", "33554432"),
        ("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=33554432"),
    ] {
        assert!(
            !after_deletions(&[(variable, value)]).is_returned(),
            "{variable}"
        );
    }
}

/// Starts the program, saves large pastes and deletes half of them.
fn after_deletions(environment: &[(&str, &str)]) -> Memory {
    const LARGE: usize = 500 * 1024;
    const PASTES: usize = 64;
    let flags = [
        "--limit-save",
        "off",
        "--limit-read",
        "off",
        "--log",
        "info,tidebin::http::log=warn",
    ];
    let running = Running::start_with(&flags, environment);
    let save = |running: &Running, size| {
        let content = vec![b'a'; size];
        Saved::of(&running.request("POST", "/").body(content).send())
    };
    let delete = |running: &Running, paste: &Saved| {
        let request = running.request("DELETE", &paste.path);
        assert_eq!(request.header("X-Token", &paste.token).send().status, 200);
    };
    // The first large blocks that are freed make an allocator with the default thresholds keep the later ones.
    for _ in 0..10 {
        delete(&running, &save(&running, 1024 * 1024));
    }
    let pastes: Vec<_> = (0..PASTES).map(|_| save(&running, LARGE)).collect();
    let full = resident_bytes(running.id());
    // Each worker has memory of its own, and connections go to the workers in turn. So in the memory of each of up to
    // 16 workers, freed blocks lie between others.
    for turn in pastes.chunks(16).step_by(2) {
        turn.iter().for_each(|paste| delete(&running, paste));
    }
    let deleted = PASTES / 2 * LARGE;
    Memory {
        running,
        full,
        deleted,
    }
}

/// A program that had `full` bytes in memory, before pastes of `deleted` bytes were deleted.
struct Memory {
    running: Running,
    full: usize,
    deleted: usize,
}

impl Memory {
    /// Returns whether more than half of the bytes of the deleted pastes went back to the system.
    fn is_returned(&self) -> bool {
        let returned = self.full.saturating_sub(resident_bytes(self.running.id()));
        returned > self.deleted / 2
    }
}
