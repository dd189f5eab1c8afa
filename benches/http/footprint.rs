//! The footprint: the resources that the program takes without load.

use std::collections::HashSet;
use std::process::Command;
use std::time::Instant;

use tidebin::page;

use crate::flags::QUIET;
use crate::load::{Request, Server};
use crate::table::Table;
use crate::timing::median;

/// The word that selects the footprint on the command line.
pub(crate) const NAME: &str = "footprint";

pub(crate) fn measure(table: &mut Table) {
    let program = std::fs::metadata(env!("CARGO_BIN_EXE_tidebin")).unwrap();
    table.figure("binary", program.len() as f64, "bytes");
    table.figure("resident memory when idle, median of 9", idle(), "KiB");
    table.figure("start to first response, median of 20", start(), "ms");
    if let Some(crates) = crates() {
        table.figure(
            "crates in the build, procedural macros included",
            crates,
            "",
        );
    }
}

/// The resident memory in KiB after a save and a request for an asset. The asset request waits until the assets are
/// compressed.
fn idle() -> f64 {
    let asset = Request::get(format!("/assets/{}", page::STYLE.name)).with("Accept-Encoding", "br");
    let resident = (0..9).map(|_| {
        let server = Server::tidebin(&[]);
        server.save("x");
        assert!(server.ask(&asset).header("content-encoding") == Some("br"));
        server.resident() as f64 / 1024.0
    });
    median(resident.collect())
}

/// The milliseconds from the start of the program to its response to a save.
fn start() -> f64 {
    let times = (0..20).map(|_| {
        let start = Instant::now();
        let server = Server::tidebin(QUIET);
        server.save("x");
        let took = start.elapsed();
        // The time to stop the program does not count.
        drop(server);
        took.as_secs_f64() * 1e3
    });
    median(times.collect())
}

/// The number of crates that the program is built from. Procedural macros and their dependencies count, dependencies of
/// build scripts do not. Returns `None` without cargo.
fn crates() -> Option<f64> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "-e", "normal", "--prefix", "none"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let tree = String::from_utf8_lossy(&output.stdout);
    // A crate that was listed before has a mark. The first line is the program itself.
    let all: HashSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .collect();
    Some((all.len() - 1) as f64)
}
