//! Reads of one client after the other: from the store's memory, from the page cache of the system, and from the disk.

use std::time::{Duration, Instant};

use crate::full::{Full, now};
use crate::pastes::id;
use crate::random::random;
use crate::savers::runtime;
use crate::timing::Latencies;
use crate::usage::Usage;

const READS: u64 = 10_000;
/// Reads from the disk are slow.
const COLD: u64 = 2_000;

pub(crate) fn run(full: &Full) {
    // The memory holds the latest pastes, which are more than an eighth. Each of these is read for the first time.
    // The very first ones may have been evicted.
    let (first, oldest) = (full.count / 100, full.count / 2);
    let nth = |nth: u64| first + (random(1) % oldest + nth * 7_919) % oldest;
    let warm: Vec<u64> = (0..READS).map(nth).collect();
    report(full, "the page cache", &warm);
    report(full, "memory", &warm[warm.len() / 2..]);
    let cold: Vec<u64> = (READS..READS + COLD).map(nth).collect();
    full.directory.leave_page_cache();
    report(full, "the disk", &cold);
}

fn report(full: &Full, from: &str, pastes: &[u64]) {
    let runtime = runtime();
    let used = Usage::now();
    let read = |n: &u64| -> Duration {
        let start = Instant::now();
        runtime.block_on(full.store.get(now(), id(*n))).unwrap();
        start.elapsed()
    };
    let latencies = Latencies::of(pastes.iter().map(read).collect());
    let (_, processor, _) = used.since();
    let each = processor / latencies.count() as f64;
    println!("reads from {from:<14}: {latencies}, {each:.1} µs of processor time each");
}
