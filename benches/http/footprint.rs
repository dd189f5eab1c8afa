//! The footprint: what the program takes before anybody asks much of it.

use std::collections::HashSet;
use std::process::Command;
use std::time::Instant;

use crate::load::{Server, median};
use crate::rows::QUIET;
use crate::table::Table;

/// The word under which it is asked for.
pub(crate) const NAME: &str = "footprint";

pub(crate) fn measure(table: &mut Table) {
    table.line("");
    table.line("| footprint | |");
    table.line("|---|--:|");
    let mut line = |name: &str, figure: &str| table.line(&format!("| {name:<38} | {figure:>12} |"));
    line("binary", &binary());
    line("resident when idle, after a save", &idle());
    line("start to first answer, median of 20", &start());
    line("crates, with what they depend on", &crates());
}

fn binary() -> String {
    let program = std::fs::metadata(env!("CARGO_BIN_EXE_tidebin")).unwrap();
    format!("{} bytes", program.len())
}

fn idle() -> String {
    let server = Server::tidebin(&[]);
    server.save("x");
    server.status("VmRSS")
}

/// From the start of the program to its answer to a save.
fn start() -> String {
    let times = (0..20).map(|_| {
        let start = Instant::now();
        Server::tidebin(QUIET).save("x");
        start.elapsed().as_secs_f64() * 1e3
    });
    format!("{:.1} ms", median(times.collect()))
}

/// Those that are in the program, if cargo is there to ask.
fn crates() -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "-e", "normal", "--prefix", "none"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    match output {
        Ok(output) if output.status.success() => {
            let tree = String::from_utf8_lossy(&output.stdout);
            // A crate that was listed before is marked; the first line is the program itself.
            let all: HashSet<&str> = tree
                .lines()
                .map(|line| line.trim_end_matches(" (*)"))
                .collect();
            (all.len() - 1).to_string()
        }
        _ => "unknown".to_owned(),
    }
}
