//! The latency of a read in the store while another thread sweeps or evicts as fast as it can.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tidebin::paste::{Paste, Timestamp};
use tidebin::store::{Budget, Store};

use crate::pastes::{at, holder, id, paste};
use crate::percentiles::{draw, line};
use crate::random::random;
use crate::timing::Latencies;

/// Pastes that stay and are read, of a lighter holder than any that is evicted.
const STAYING: u64 = 1_000;
const EXPIRING: u64 = 100_000;
/// How often so many expire at once.
const TIDES: u64 = 10;
const TIME: Duration = Duration::from_secs(2);
/// Tiny pastes that take the place of tiny ones: several times those that there is room for.
const TINY: usize = 500_000;
/// No more than there are tiny ones to make room for.
const LARGE: usize = 100;

/// Who saves what goes.
const HEAVY: u64 = 1;

pub(crate) fn run(folder: &Path) {
    println!("reads in the store:");
    let series = vec![
        line("quiet", &quiet()),
        line("100,000 expire at once", &expiry()),
        line("tiny evict tiny", &eviction(TINY, 1)),
        line("1 MiB evict tiny", &eviction(LARGE, 1 << 20)),
    ];
    draw(
        "Reads in the store while much leaves it",
        series,
        folder,
        "stalls",
    );
}

/// A store with what stays in it.
fn store() -> Store {
    let store = Store::new(Budget::new(128 << 20));
    for n in 0..STAYING {
        let staying = paste(1024, 3600, at(0));
        store.insert(at(0), holder(0, 1), id(n), staying).unwrap();
    }
    store
}

fn save_heavy(store: &Store, n: u64, paste: Paste) {
    let mut holder = holder(0, 1);
    holder.network ^= HEAVY;
    holder.client ^= HEAVY;
    store.insert(at(0), holder, id(STAYING + n), paste).unwrap();
}

fn quiet() -> Latencies {
    Latencies::of(reads_during(&store(), at(0), || thread::sleep(TIME)))
}

fn expiry() -> Latencies {
    let mut all = Vec::new();
    for _ in 0..TIDES {
        let store = store();
        for n in 0..EXPIRING {
            save_heavy(&store, n, paste(64, 1, at(0)));
        }
        all.extend(reads_during(&store, at(2000), || {
            assert_eq!(store.sweep(at(2000)) as u64, EXPIRING);
        }));
    }
    Latencies::of(all)
}

/// While so many pastes of this size take the place of tiny ones. Each has a content of its own, so what goes is freed,
/// and all are made before.
fn eviction(count: usize, size: usize) -> Latencies {
    let store = store();
    let mut numbers = 0..;
    let mut save = |paste: Paste| save_heavy(&store, numbers.next().unwrap(), paste);
    while store.removal_counts().evicted == 0 {
        save(paste(1, 3600, at(0)));
    }
    let made: Vec<Paste> = (0..count).map(|_| paste(size, 3600, at(0))).collect();
    Latencies::of(reads_during(&store, at(0), || {
        made.into_iter().for_each(save)
    }))
}

/// Every read of this thread while `work` goes on in another: none waits longer than the lock is held.
fn reads_during(store: &Store, now: Timestamp, work: impl FnOnce() + Send) -> Vec<Duration> {
    let done = AtomicBool::new(false);
    let mut reads = Vec::with_capacity(1 << 23);
    thread::scope(|scope| {
        let work = scope.spawn(|| {
            work();
            done.store(true, Ordering::SeqCst);
        });
        let mut n = 0;
        while !done.load(Ordering::SeqCst) && !work.is_finished() {
            let start = Instant::now();
            let found = std::hint::black_box(store.get(now, id(random(n) % STAYING)));
            reads.push(start.elapsed());
            assert!(found.is_ok(), "what stays was evicted");
            n += 1;
        }
    });
    reads
}
