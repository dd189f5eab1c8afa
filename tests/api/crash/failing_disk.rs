//! A disk that fails to sync, and a cut of its power. A library for LD_PRELOAD plays the disk: it keeps of the database
//! and its log what was synced, and forgets what was written before a sync that failed, as Linux does. It does not play
//! writes that reach the disk without a sync, or in part, and takes a removed log for gone.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use super::{CLIENTS, Heard, Known, end_under_load, hear, start_with, work_until};
use crate::client::Request;
use crate::folder::Folder;
use crate::process::Running;
use crate::rounds::rounds;

/// A data directory on such a disk.
pub struct Disk {
    pub data: Folder,
    /// The library, the files that make syncs fail, and the disk itself.
    pub state: Folder,
}

impl Disk {
    pub fn new() -> Self {
        let disk = Self {
            data: Folder::new("crash"),
            state: Folder::new("disk"),
        };
        fs::create_dir(disk.path("disk")).expect("a folder");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/failing_sync.c");
        let mut compile = Command::new("cc");
        let compile = compile.args(["-shared", "-fPIC", "-pthread", "-o"]);
        let compiled = compile.arg(disk.path("library.so")).arg(source).status();
        assert!(compiled.expect("cc runs").success());
        disk
    }

    fn path(&self, name: &str) -> String {
        let path = self.state.path().join(name);
        path.to_str().expect("a path of text").to_owned()
    }

    pub fn start(&self, environment: &[(&str, &str)]) -> Running {
        let names = ["library.so", "fail", "lie", "full", "no-rewrite", "disk"];
        let [library, fail, lie, full, no_rewrite, disk] = names.map(|name| self.path(name));
        let preloaded = [
            ("LD_PRELOAD", &*library),
            ("FAIL_SYNC_IF", &*fail),
            ("LIE_IF", &*lie),
            ("FULL_IF", &*full),
            ("NO_REWRITE_IF", &*no_rewrite),
            ("DISK", &*disk),
        ];
        start_with(Some(&self.data), &[&preloaded, environment].concat())
    }

    /// Makes the files of the database those that the disk has.
    pub fn cut_power(&self) {
        let disk = self.state.path().join("disk");
        for name in ["tidebin.db", "tidebin.db-wal"] {
            let (kept, file) = (disk.join(name), self.data.path().join(name));
            remove(&disk.join(format!("{name}.dirty")));
            match kept.exists() {
                true => _ = fs::copy(kept, file).expect("a copy"),
                false => remove(&file),
            }
        }
        remove(&self.data.path().join("tidebin.db-shm"));
    }
}

/// Removes a file, which may be missing.
pub fn remove(file: &Path) {
    let _ = fs::remove_file(file);
}

#[test]
#[ignore = "needs cc"]
fn after_a_failed_sync_nothing_is_acknowledged_and_what_was_before_is_there() {
    // Given a server on a disk
    let disk = Disk::new();
    let running = disk.start(&[]);
    // When the disk fails under load
    let (known, code) = work_until(running, 100, |running| {
        disk.state.write("fail", "");
        // Then no save is acknowledged any more
        let late = hear(running.addr(), "POST", "/", "late");
        assert!(!matches!(late, Heard::Answer(200..400, _)));
    });
    // And the server ends, and says so
    assert_eq!(code, Some(1));
    // And every paste that it acknowledged before is there
    remove(&disk.state.path().join("fail"));
    let running = disk.start(&[]);
    assert_eq!(known.wrong(running.addr()), (0, 0));
    known.burn_all(running.addr());
}

#[test]
#[ignore = "needs cc"]
fn a_failed_sync_of_the_database_stops_the_server_though_the_log_was_synced() {
    // Given a server whose writer cannot sync the database, but its log
    let disk = Disk::new();
    let failing = [
        ("FAIL_SYNC_OF", "/tidebin.db"),
        ("FAIL_SYNC_BY", "writer"),
        ("TIDEBIN_MAX_PASTE_SIZE", "3MiB"),
    ];
    let running = disk.start(&failing);
    disk.state.write("fail", "");
    // When so much is saved at once that the writer copies the log into the database
    let mut content = vec![0; 3 << 20];
    getrandom::fill(&mut content).expect("the system has random bytes");
    let addr = running.addr();
    let saved = Request::new(addr, "POST", "/").body(&content).send();
    // Then the save is not acknowledged, and the server ends
    assert_eq!(saved.status, 500);
    let (code, log) = running.wait();
    assert_eq!(code, Some(1), "{log}");
    // And the next start is a usual one
    remove(&disk.state.path().join("fail"));
    let running = disk.start(&failing);
    assert!(matches!(
        hear(running.addr(), "POST", "/", "x"),
        Heard::Answer(201, _)
    ));
}

#[test]
#[ignore = "needs cc"]
fn after_one_failed_sync_and_a_start_a_power_cut_loses_nothing() {
    for round in 0..rounds(3) {
        // Given a server that ended because one sync of the log failed, with what it acknowledged
        let disk = Disk::new();
        let running = disk.start(&[("FAIL_SYNC_ONCE", "1")]);
        let most = 20 + 23 * round as usize;
        let (mut known, code) = work_until(running, most, |_| disk.state.write("fail", ""));
        assert_eq!(code, Some(1));
        // When the next one acknowledges more, and the power is cut
        let running = disk.start(&[]);
        assert_eq!(known.wrong(running.addr()), (0, 0), "before round {round}");
        let (more, _) = end_under_load(running, 7 + CLIENTS, Signal::KILL);
        known.add(more);
        disk.cut_power();
        // Then all of it is there
        let running = disk.start(&[]);
        assert_eq!(known.wrong(running.addr()), (0, 0), "round {round}");
        known.burn_all(running.addr());
    }
}

/// Shows that the test above can fail.
#[test]
#[ignore = "needs cc"]
fn on_a_disk_that_only_says_that_it_syncs_a_power_cut_loses_pastes() {
    let disk = Disk::new();
    let running = disk.start(&[]);
    disk.state.write("lie", "");
    let (known, _): (Known, _) = end_under_load(running, 20, Signal::KILL);
    disk.cut_power();
    remove(&disk.state.path().join("lie"));
    let running = disk.start(&[]);
    let (lost, _) = known.wrong(running.addr());
    assert_eq!(lost, known.kept.len() + known.burning.len());
}
