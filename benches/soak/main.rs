//! A soak: twenty minutes of mixed load at a steady rate on a full store, in which memory must stay constant.
//!
//! `cargo bench --bench soak` prints a line per minute and draws memory and p99 into the target directory, `-- write`
//! into `docs/`; `minutes=2` is shorter, `rate=1000` gentler. It fails if an answer is wrong, if a connection breaks,
//! if memory changes by more than 3 % after the first three minutes, or if the p99 of a minute exceeds twice that of
//! the median minute.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

#[path = "../client/mod.rs"]
mod client;
#[path = "../curve/mod.rs"]
mod curve;
mod deed;
#[path = "../flags/mod.rs"]
mod flags;
#[path = "../load/mod.rs"]
mod load;
#[path = "../pastes/mod.rs"]
mod pastes;
#[path = "../random/mod.rs"]
mod random;
mod recent;
mod report;
mod tally;
#[path = "../timing/mod.rs"]
mod timing;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flags::{AMPLE, BELIEVING, QUIET};
use load::Server;
use recent::Recent;
use report::Report;
use tally::Tally;
use worker::Worker;

/// The server's default.
const STORE: usize = 128 << 20;

/// Connections that are kept alive; each does one thing at a time, so a slow answer delays few of the others.
const WORKERS: u32 = 16;

fn main() -> ExitCode {
    let minutes = number("minutes").unwrap_or(20);
    let rate = number("rate").unwrap_or(3_000);
    let folder = match std::env::args().any(|arg| arg == "write") {
        true => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs"),
        false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("curves"),
    };
    // Clients may do whatever they do here, and say who they are.
    let unlimited = ["--limit-password", "off"];
    let server = Server::tidebin(&[QUIET, AMPLE, BELIEVING, &unlimited].concat());
    let (recent, tally) = (Recent::default(), Tally::default());
    let filling = Instant::now();
    let filled = Worker::new(0, server.address(), &recent, &tally).fill(STORE);
    tally.take();
    println!(
        "{filled} saves fill the store in {:.0} s; then {rate} deeds a second for {minutes} minutes",
        filling.elapsed().as_secs_f64()
    );
    let done = AtomicBool::new(false);
    let start = Instant::now();
    let report = thread::scope(|scope| {
        for nth in 0..WORKERS {
            let mut worker = Worker::new(nth, server.address(), &recent, &tally);
            let done = &done;
            // The workers begin spread over a step.
            let step = Duration::from_secs(1) * WORKERS / rate;
            scope.spawn(move || worker.work(start + step * nth / WORKERS, step, done));
        }
        let watched = thread::Builder::new()
            .spawn_scoped(scope, || watch(&server, &recent, &tally, start, minutes))
            .unwrap()
            .join();
        done.store(true, Ordering::Relaxed);
        watched.unwrap()
    });
    report.draw(&folder);
    match report.verdict() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Looks at memory each second, and prints a line each minute.
fn watch(server: &Server, recent: &Recent, tally: &Tally, start: Instant, minutes: u32) -> Report {
    let mut report = Report::new(minutes);
    let aside = Tally::default();
    let mut probe = Worker::new(WORKERS, server.address(), recent, &aside);
    for minute in 1..=minutes {
        let (began, before) = (Instant::now(), server.processor_seconds());
        for second in 0..60 {
            let due =
                start + Duration::from_secs(60) * (minute - 1) + Duration::from_secs(second + 1);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            report.memory(start.elapsed(), resident_bytes(server));
        }
        let share = (server.processor_seconds() - before) / began.elapsed().as_secs_f64();
        let mut seen = tally.take();
        let kept = probe.kept();
        seen.add_errors(aside.take());
        report.minute(minute, &seen, share, kept);
    }
    report
}

fn resident_bytes(server: &Server) -> f64 {
    let line = server.status("VmRSS");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<f64>().unwrap() * 1024.0
}

/// The number of an argument: `minutes=2`.
fn number(name: &str) -> Option<u32> {
    std::env::args().find_map(|arg| arg.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}
