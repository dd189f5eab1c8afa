//! The processor time of the server per request, compared with a bare actix-web handler in the same run.
//!
//! `cargo bench --bench http` needs `wrk` and takes about ten minutes. `-- POST 404` selects the rows with one of
//! these words in their name. `-- quick` runs one round of a second. The servers take turns under the same load, and
//! figures are medians. The measure is processor time instead of requests per second, because the load generator takes
//! a whole core and limits the rate. The table is printed, and written as Markdown to `http.md` in the target
//! directory.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod bare;
mod cell;
#[path = "../flags/mod.rs"]
mod flags;
mod footprint;
#[path = "../load/mod.rs"]
mod load;
#[path = "../random/mod.rs"]
mod random;
mod rows;
mod table;
#[path = "../timing/mod.rs"]
mod timing;
mod traffic;

use std::process::ExitCode;
use std::time::Duration;

use cell::{Cell, RunPlan, is_refusal};
use load::{Server, wrk_is_there};
use rows::Row;
use table::Table;
use traffic::Traffic;

fn main() -> ExitCode {
    // `cargo bench` adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(constant) = words.iter().find_map(|word| bare::constant(word)) {
        bare::serve(constant);
        return ExitCode::SUCCESS;
    }
    if !wrk_is_there() {
        return ExitCode::FAILURE;
    }
    let plan = match words.iter().any(|word| word == "quick") {
        true => RunPlan::QUICK,
        false => RunPlan::USUAL,
    };
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with("--") && *word != "quick")
        .collect();
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    let names = rows::ROWS.iter().map(|row| row.name);
    if !names.chain([footprint::NAME]).any(is_wanted) {
        eprintln!("no row name contains one of these words: {words:?}");
        return ExitCode::FAILURE;
    }
    let mut table = Table::begin();
    let wanted = rows::ROWS.iter().filter(|row| is_wanted(row.name));
    let errors: f64 = wanted.map(|row| measure(row, plan, &mut table)).sum();
    if is_wanted(footprint::NAME) {
        footprint::measure(&mut table);
    }
    println!("written to {}", table.write().display());
    if errors > 0.0 {
        eprintln!("{errors} errors: do not use these figures");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Measures one row at all its numbers of connections. Returns the number of errors.
fn measure(row: &Row, plan: RunPlan, table: &mut Table) -> f64 {
    let (tidebin, traffic) = (row.start)();
    let size = tidebin.ask(traffic.example()).body.len();
    let bare = bare::start(row.status, size);
    let script = traffic.script();
    let check = |when: &str| check(row, &traffic, &tidebin, &bare, when);
    let cells = row.connections.iter().map(|&connections| {
        check("before");
        let cell = Cell::measure(plan, connections, &script, &tidebin, &bare, row.status);
        check("after");
        table.cell(row.name, connections, &cell);
        cell.errors
    });
    cells.sum()
}

/// Sends one request to both servers. Asserts that tidebin responds with the row's status. The bare server may respond
/// with another status if both are errors or both are not.
fn check(row: &Row, traffic: &Traffic, tidebin: &Server, bare: &Server, when: &str) {
    // wrk disconnects in the middle of requests, which may be in progress for a moment.
    std::thread::sleep(Duration::from_millis(200));
    let [ours, theirs] = [tidebin, bare].map(|server| server.ask(traffic.example()).status);
    assert!(
        ours == row.status && is_refusal(theirs) == is_refusal(row.status),
        "{}, {when} the measurement: status {ours}, and {theirs} of the bare server",
        row.name
    );
}
