//! The processor time of the server per request, compared with a bare actix-web handler in the same run.
//!
//! `cargo bench --bench http` needs `wrk` and takes about four minutes. It measures the usual rows at one number of
//! connections; `-- all` measures all rows at all numbers in about twelve minutes. `-- POST 404` selects the rows with
//! one of these words in their name. `-- quick` runs one round instead of seven.
//!
//! The table is printed, and written as Markdown to `http.md` in the target directory.
//! `-- save NAME` also saves the figures in the target directory, as a baseline. Later runs print the change since the
//! last saved baseline, or since the one named by `-- against NAME`.
//!
//! The servers take turns under the same load, and figures are medians. The measure is processor time instead of
//! requests per second, because the load generator takes a whole core and limits the rate.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod bare;
mod baseline;
mod burst;
mod cell;
mod command;
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

use baseline::Baseline;
use cell::{Cell, is_refusal};
use command::Command;
use load::{Server, wrk_is_there};
use rows::{GROUPS, Group, Row};
use table::Table;
use traffic::Traffic;

fn main() -> ExitCode {
    // `cargo bench` adds `--bench`. The words of this bench have no dashes.
    let words = std::env::args().skip(1);
    let words: Vec<String> = words.filter(|word| !word.starts_with("--")).collect();
    if let Some(constant) = words.iter().find_map(|word| bare::constant(word)) {
        bare::serve(constant);
        return ExitCode::SUCCESS;
    }
    let command = Command::parse(&words);
    if !wrk_is_there() || !command.is_possible() {
        return ExitCode::FAILURE;
    }
    let mut table = Table::begin(before(&command));
    let errors: f64 = GROUPS
        .iter()
        .map(|group| measure_group(group, &command, &mut table))
        .sum();
    if [burst::NAME, footprint::NAME]
        .iter()
        .any(|name| command.wants(name))
    {
        table.begin_figures();
    }
    if command.wants(burst::NAME) {
        table.figure(burst::NAME, burst::longest_wait(), "ms");
    }
    if command.wants(footprint::NAME) {
        footprint::measure(&mut table);
    }
    println!("written to {}", table.write().display());
    if errors > 0.0 {
        eprintln!("{errors} errors: do not use these figures");
        return ExitCode::FAILURE;
    }
    if let Some(name) = &command.save {
        println!("saved as {}", table.figures.save(name).display());
    }
    ExitCode::SUCCESS
}

/// Returns the figures to compare with. There are none before the first baseline is saved.
fn before(command: &Command) -> Baseline {
    let Some(name) = command.against.clone().or_else(Baseline::last) else {
        return Baseline::default();
    };
    let baseline = Baseline::named(&name);
    println!("compared with the baseline {name}\n");
    baseline.unwrap_or_else(|| {
        eprintln!("There is no baseline {name}. Save one with `-- save {name}`.");
        std::process::exit(1)
    })
}

/// Measures the wanted rows of a group on one server. Returns the number of errors.
fn measure_group(group: &Group, command: &Command, table: &mut Table) -> f64 {
    let wanted = group.rows.iter().filter(|row| command.wants_row(row));
    let wanted: Vec<&Row> = wanted.collect();
    if wanted.is_empty() {
        return 0.0;
    }
    let tidebin = (group.start)();
    let errors = wanted
        .iter()
        .map(|row| measure(row, &tidebin, command, table));
    errors.sum()
}

/// Measures one row. Returns the number of errors.
fn measure(row: &Row, tidebin: &Server, command: &Command, table: &mut Table) -> f64 {
    let traffic = (row.traffic)(tidebin);
    let size = tidebin.ask(traffic.example()).body.len();
    let bare = bare::start(row.status, size);
    let script = traffic.script();
    let check = |when: &str| check(row, &traffic, tidebin, &bare, when);
    let cells = command.connections(row).iter().map(|&connections| {
        check("before");
        let rounds = command.rounds;
        let cell = Cell::measure(rounds, connections, &script, tidebin, &bare, row.status);
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
