//! The memory of the program: large freed blocks go back to the system, unless the operator configured the allocator.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::time::{Duration, Instant};

use crate::process::{Running, resident_bytes};
use crate::server::Saved;

#[test]
fn the_memory_of_large_deleted_pastes_goes_back_to_the_system() {
    let (deleted, returned) = deleted_and_returned_bytes(&[], Duration::from_secs(120));
    assert!(returned > deleted / 2, "{returned} of {deleted}");
}

#[test]
fn the_settings_of_the_operator_for_the_allocator_are_left_alone() {
    for (variable, value) in [
        ("MALLOC_MMAP_THRESHOLD_", "33554432"),
        ("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=33554432"),
    ] {
        let (deleted, returned) = deleted_and_returned_bytes(&[(variable, value)], Duration::ZERO);
        assert!(
            returned < deleted / 2,
            "{variable}: {returned} of {deleted}"
        );
    }
}

/// Saves large pastes and deletes half of them. Returns the bytes of the deleted ones, and how many bytes less the
/// process then has in memory, as soon as that is more than half of them or the patience is over. Blocks that are in a
/// heap are returned after ten seconds.
fn deleted_and_returned_bytes(environment: &[(&str, &str)], patience: Duration) -> (usize, usize) {
    const LARGE: usize = 500 * 1024;
    const PASTES: usize = 64;
    // While the allocator has not returned the blocks, more requests are sent than the default limits admit.
    let flags = [
        "--limit-save",
        "off",
        "--limit-read",
        "off",
        "--log",
        "info",
    ];
    let mut running = Running::start_with(&flags, environment);
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
    let start = Instant::now();
    loop {
        let returned = full.saturating_sub(resident_bytes(running.id()));
        if returned > deleted / 2 || start.elapsed() >= patience {
            return (deleted, returned);
        }
        assert_eq!(running.request("GET", "/help").send().status, 200);
        // A server whose log is not read waits for its reader.
        running.next_line();
    }
}
