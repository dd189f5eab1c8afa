//! A soak: twenty minutes of mixed load at a steady rate on a full store, in which memory must stay constant.
//!
//! `cargo bench --bench soak` prints a line per minute and draws memory and p99 into `tmp/curves` in the target
//! directory. `minutes=2` sets the length, and `rate=1000` the actions per second.
//! The bench fails if a response is wrong, if a connection breaks, or if the p99 of a minute exceeds twice that of the
//! median minute. It also fails if the highest memory of a minute changes by more than 3 % after the first three
//! minutes.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod action;
#[path = "../curve/mod.rs"]
mod curve;
#[path = "../flags/mod.rs"]
mod flags;
#[path = "../load/mod.rs"]
mod load;
#[path = "../random/mod.rs"]
mod random;
mod recent;
mod report;
mod tally;
#[path = "../timing/mod.rs"]
mod timing;
mod worker;

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

/// The size of the store in bytes, which is the server's default.
const STORE: usize = 128 << 20;

/// The number of workers, each with a persistent connection. A slow response delays only the actions of its worker.
const WORKERS: u32 = 16;

fn main() -> ExitCode {
    let minutes = number("minutes").unwrap_or(20);
    let rate = number("rate").unwrap_or(3_000);
    // The rate limits reject no action. The server trusts the clients' `X-Forwarded-For`.
    let unlimited = ["--limit-password", "off"];
    let server = Server::tidebin(&[QUIET, AMPLE, BELIEVING, &unlimited].concat());
    let (recent, tally) = (Recent::default(), Tally::default());
    let filling = Instant::now();
    let filled = Worker::new(0, server.address(), &recent, &tally).fill(STORE);
    tally.take();
    println!(
        "{filled} saves fill the store in {:.0} s; then {rate} actions per second for {minutes} minutes",
        filling.elapsed().as_secs_f64()
    );
    let done = AtomicBool::new(false);
    let start = Instant::now();
    let report = thread::scope(|scope| {
        for nth in 0..WORKERS {
            let mut worker = Worker::new(nth, server.address(), &recent, &tally);
            let done = &done;
            // The workers start one after the other within one step.
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
    report.draw(&curve::folder());
    match report.verdict() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Records the memory every second, and prints a line every minute.
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
            report.memory(start.elapsed(), server.resident());
        }
        let share = (server.processor_seconds() - before) / began.elapsed().as_secs_f64();
        let mut seen = tally.take();
        let kept = probe.kept();
        seen.add_errors(aside.take());
        report.minute(minute, &seen, share, kept);
    }
    report
}

/// Returns the number in an argument such as `minutes=2`.
fn number(name: &str) -> Option<u32> {
    std::env::args().find_map(|arg| arg.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}
