//! The cost of the store: its operations, its resident memory, batches that expire, and its longest saves.
//!
//! `cargo bench --bench store` prints figures for one thread. The words `operations`, `memory`, `expiry` and
//! `turnovers` select parts, and `most=100000` limits the number of pastes in `operations`.
//!
//! `beside=PATH` compares with another version of the store. `PATH` is this bench as built in another checkout:
//! `cargo bench --bench store --no-run` prints the path. Both are run in turn, and the ratios are printed.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod pastes;
mod random;
mod timing;

use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use tidebin::allocator::return_freed_memory;
use tidebin::store::Tier;
use tidebin::store::memory::{Budget, Store, cost_of};

use pastes::{at, holder, id, paste};
use random::random;
use timing::{Latencies, each, median};

/// How often each measurement is repeated. The median is printed.
const ROUNDS: usize = 3;

const COUNTS: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const HOLDERS: [u64; 3] = [1, 1_000, 100_000];

/// The parts of the memory measurement: its name, bytes of content, saves, mebibytes of the budget, clients, and reads
/// of each paste.
const STORES: [(&str, [u64; 5]); 5] = [
    ("1 byte, one client", [1, 100_000, 128, 1, 0]),
    ("1 byte, a client per paste", [1, 80_000, 128, u64::MAX, 0]),
    ("1 KiB, 128 MiB", [1024, 50_000, 128, 1_000, 0]),
    ("1 KiB, 512 MiB", [1024, 50_000, 512, 1_000, 0]),
    ("1 KiB, 128 MiB, read once", [1024, 80_000, 128, 1_000, 1]),
];

fn main() {
    // The program does the same, so memory is allocated and returned here as in the program.
    return_freed_memory(tidebin::store::PAGES_FROM, false).expect("a thread starts");
    if let Some(count) = number("count") {
        return operations(count, number("holders").unwrap());
    }
    if let Some(size) = number("size") {
        let [saves, budget, holders, reads] =
            ["saves", "budget", "holders", "reads"].map(|name| number(name).unwrap());
        return resident([size, saves, budget, holders, reads]);
    }
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let parts: [(&str, fn()); 4] = [
        ("operations", compare_operations),
        ("memory", compare_memory),
        ("expiry", mass_expiry),
        ("turnovers", || {
            [128, 192].map(turnovers).into_iter().collect()
        }),
    ];
    let is_any = parts
        .iter()
        .any(|(name, _)| asked.iter().any(|arg| arg == name));
    for (name, run) in parts {
        if !is_any || asked.iter().any(|arg| arg == name) {
            run();
        }
    }
}

/// Returns the number in an argument such as `count=1000`.
fn number(name: &str) -> Option<u64> {
    text(name)?.parse().ok()
}

/// Returns the text in an argument such as `beside=PATH`.
fn text(name: &str) -> Option<String> {
    std::env::args().find_map(|arg| Some(arg.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

fn compare_operations() {
    println!("nanoseconds of processor time: find, save into a growing store, save that evicts");
    let most = number("most").unwrap_or(1_000_000);
    for count in COUNTS.into_iter().filter(|count| *count <= most) {
        for holders in HOLDERS.into_iter().filter(|holders| *holders <= count) {
            let name = format!("{count} pastes, {holders} clients");
            compare(&name, &[("count", count), ("holders", holders)]);
        }
    }
}

fn compare_memory() {
    println!("resident bytes per paste: after the saves, tables included");
    for (name, figures) in STORES {
        let names = ["size", "saves", "budget", "holders", "reads"];
        let arguments: Vec<_> = names.into_iter().zip(figures).collect();
        compare(name, &arguments);
    }
}

/// Measures in a process of its own, in turn with the other version if there is one. Prints the medians.
fn compare(name: &str, arguments: &[(&str, u64)]) {
    let arguments: Vec<_> = arguments
        .iter()
        .map(|(name, number)| format!("{name}={number}"))
        .collect();
    let this = std::env::current_exe().unwrap();
    let programs: Vec<PathBuf> = [this]
        .into_iter()
        .chain(text("beside").map(PathBuf::from))
        .collect();
    let mut rounds = vec![Vec::new(); programs.len()];
    for _ in 0..ROUNDS {
        for (program, rounds) in programs.iter().zip(&mut rounds) {
            let output = Command::new(program).args(&arguments).output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments:?}: {error}");
            let figures = String::from_utf8(output.stdout).unwrap();
            rounds.push(
                figures
                    .split_whitespace()
                    .map(|figure| figure.parse().unwrap())
                    .collect(),
            );
        }
    }
    let medians: Vec<Vec<f64>> = rounds.into_iter().map(medians).collect();
    print!("{name:>36}:");
    for (nth, figure) in medians[0].iter().enumerate() {
        print!(" {figure:>6.0}");
        if let Some(other) = medians.get(1) {
            print!(" beside {:>6.0} ({:.2})", other[nth], figure / other[nth]);
        }
    }
    println!();
}

/// The median of each figure over all rounds.
fn medians(rounds: Vec<Vec<f64>>) -> Vec<f64> {
    let figures = 0..rounds[0].len();
    figures
        .map(|nth| median(rounds.iter().map(|round| round[nth]).collect()))
        .collect()
}

/// Prints the processor time of a find, of a save and of a save that evicts. The pastes are tiny, so that
/// the time to copy contents does not count.
fn operations(count: u64, holders: u64) {
    let tiny = |n| paste(64, 3600 + random(n) % 1000, at(0));
    let cost = cost_of(&tiny(0)) * 5 / 4;
    let budget = count * u64::try_from(cost).unwrap() + holders.min(count) * 120;
    let store = Store::new(
        Budget::new(usize::try_from(budget).unwrap()),
        Box::new(|_| ()),
    );
    let save = |n, paste| {
        store
            .insert(at(0), holder(n, holders), id(n), paste)
            .unwrap()
    };
    let growing = timed(0..count, tiny, save);
    let calls = 1_000_000.min(count * 100);
    let find = |n, ()| assert!(store.get(at(0), id(random(n) % count)).is_ok());
    let find = timed(0..calls, |_| (), find);
    let mut n = count;
    while store.removal_counts().evicted == 0 {
        save(n, tiny(n));
        n += 1;
    }
    // Here the pastes are made one by one. If all were made before, the allocator would have to collect those evicted.
    let evicting = timed(n..n + count.max(100_000), |_| (), |n, ()| save(n, tiny(n)));
    println!("{find} {growing} {evicting}");
}

/// Nanoseconds of processor time per call: the median of twenty parts of the calls. All inputs of a part are made
/// before its time starts.
fn timed<T>(calls: Range<u64>, make: impl Fn(u64) -> T, call: impl Fn(u64, T)) -> f64 {
    let part = (calls.end - calls.start) / timing::PARTS;
    let parts = (0..timing::PARTS).map(|nth| {
        let first = calls.start + nth * part;
        let made: Vec<T> = (first..first + part).map(&make).collect();
        let start = on_processor();
        (first..).zip(made).for_each(|(n, made)| call(n, made));
        each(on_processor() - start, part)
    });
    median(parts.collect())
}

/// Prints the resident bytes per paste.
fn resident([size, saves, budget, holders, reads]: [u64; 5]) {
    let before = resident_bytes();
    let store = Store::new(
        Budget::new(usize::try_from(budget << 20).unwrap()),
        Box::new(|_| ()),
    );
    let size = usize::try_from(size).unwrap();
    for n in 0..saves {
        let paste = paste(size, 3600 + random(n) % 1000, at(0));
        store
            .insert(at(0), holder(n, holders), id(n), paste)
            .unwrap();
    }
    for n in (0..saves).flat_map(|n| (0..reads).map(move |_| n)) {
        store.get(at(0), id(n)).unwrap();
    }
    assert_eq!(
        store.removal_counts().evicted,
        0,
        "evicted pastes may stay resident"
    );
    println!("{}", (resident_bytes() - before) / saves);
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Measures sweeps of one batch each. The time includes the freeing of the contents after the lock was released.
fn mass_expiry() {
    const COUNT: u64 = 100_000;
    let store = Store::new(Budget::new(256 << 20), Box::new(|_| ()));
    for n in 0..COUNT {
        store
            .insert(at(0), holder(n, 1), id(n), paste(1024, 1 + n / 256, at(0)))
            .unwrap();
    }
    let holds = (1..=COUNT / 256 + 1).map(|second| {
        let start = Instant::now();
        store.sweep(at(second * 1000));
        start.elapsed()
    });
    println!(
        "100,000 pastes expire: one batch, freeing included: {}",
        Latencies::of(holds.collect())
    );
}

/// Measures the longest saves while all pastes in a full store of tiny pastes are replaced again and again. Some hash
/// tables mark removed entries and clear all marks at once, which would make one of these saves slow.
fn turnovers(mebibytes: usize) {
    const TURNOVERS: u64 = 20;
    let store = Store::new(Budget::new(mebibytes << 20), Box::new(|_| ()));
    let mut n = 0;
    let mut save = || {
        // Each paste has a content of its own, which is freed when the paste is evicted.
        let paste = paste(64, 3600, at(0));
        let start = on_processor();
        store.insert(at(0), holder(n, 1_000), id(n), paste).unwrap();
        n += 1;
        on_processor() - start
    };
    while store.removal_counts().evicted == 0 {
        save();
    }
    let kept = store.occupancy().pastes as u64;
    let saves = Latencies::of((0..TURNOVERS * kept).map(|_| save()).collect());
    println!(
        "all {kept} pastes replaced {TURNOVERS} times in {mebibytes} MiB: saves p99.99 {:.3} ms, longest {:.3} ms of processor time",
        saves.exceeded_by_one_in(10_000.0),
        saves.longest()
    );
}

/// The processor time of this thread. Other programs on the machine do not affect it.
fn on_processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}
