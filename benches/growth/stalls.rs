//! The latency of a read in the store while another thread sweeps or evicts as fast as it can.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tidebin::paste::{StoredPaste, Timestamp};
use tidebin::store::Tier;
use tidebin::store::memory::{Budget, Store};

use crate::pastes::{at, holder, id, paste};
use crate::percentiles::{draw, line};
use crate::random::random;
use crate::timing::Latencies;

/// The number of pastes that are read. They are not evicted, because the client of the other pastes uses more of the
/// store.
const STAYING: u64 = 1_000;
const EXPIRING: u64 = 100_000;
/// The number of times that this many pastes expire at once.
const TIDES: u64 = 10;
const TIME: Duration = Duration::from_secs(2);
/// The number of tiny pastes that replace tiny ones. It is several times the capacity of the store.
const TINY: usize = 500_000;
/// The number of large pastes that replace tiny ones. All fit in the store.
const LARGE: usize = 100;

/// The key of the client whose pastes expire or are evicted differs from the key of the other client in these bits.
const HEAVY: u64 = 1;

pub(crate) fn run(folder: &Path) {
    println!("reads in the store:");
    let series = vec![
        line("no load", &quiet()),
        line("100,000 expire at once", &expiry()),
        line("1 B evicts 1 B", &eviction(TINY, 1)),
        line("1 MiB evicts 1 B", &eviction(LARGE, 1 << 20)),
    ];
    draw(
        "Reads in the store while pastes expire or are evicted",
        series,
        folder,
        "stalls",
    );
}

/// Makes a store with the pastes that are read.
fn store() -> Store {
    let store = Store::new(Budget::new(128 << 20), Box::new(|_| ()));
    for n in 0..STAYING {
        let staying = paste(1024, 3600, at(0));
        store.insert(at(0), holder(0, 1), id(n), staying).unwrap();
    }
    store
}

fn save_heavy(store: &Store, n: u64, paste: StoredPaste) {
    let mut holder = holder(0, 1);
    holder.client.network ^= HEAVY;
    holder.client.client ^= HEAVY;
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

/// Measures reads while `count` pastes of this size replace tiny ones. All pastes are made before the measurement. They
/// share no content, so each eviction frees memory.
fn eviction(count: usize, size: usize) -> Latencies {
    let store = store();
    let mut numbers = 0..;
    let mut save = |paste: StoredPaste| save_heavy(&store, numbers.next().unwrap(), paste);
    while store.removal_counts().evicted == 0 {
        save(paste(1, 3600, at(0)));
    }
    let made: Vec<StoredPaste> = (0..count).map(|_| paste(size, 3600, at(0))).collect();
    Latencies::of(reads_during(&store, at(0), || {
        made.into_iter().for_each(save)
    }))
}

/// Returns the time of every read in this thread while `work` runs in another. A read waits for the store's lock.
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
