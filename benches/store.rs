//! The cost of the store: batches that expire, and the longest saves while all pastes are replaced. The bench `growth`
//! measures how its costs grow.
//!
//! `cargo bench --bench store` prints figures for one thread.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod pastes;
mod random;
mod timing;

use std::time::{Duration, Instant};

use tidebin::store::{Budget, Store};

use pastes::{at, holder, id, paste};
use timing::Latencies;

fn main() {
    mass_expiry();
    for megabytes in [128, 172] {
        turnovers(megabytes << 20);
    }
}

/// Measures sweeps of one batch each. The time includes the freeing of the contents after the lock was released.
fn mass_expiry() {
    const COUNT: u64 = 100_000;
    let store = Store::new(Budget::new(256 << 20));
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
fn turnovers(budget: usize) {
    const TURNOVERS: u64 = 20;
    let store = Store::new(Budget::new(budget));
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
        "all {kept} pastes replaced {TURNOVERS} times in {} MiB: saves p99.99 {:.3} ms, longest {:.3} ms of processor time",
        budget >> 20,
        saves.exceeded_by_one_in(10_000.0),
        saves.longest()
    );
}

/// The processor time of this thread. Other programs on the machine do not affect it.
fn on_processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}
