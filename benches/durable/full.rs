//! A store that is filled to its budget of disk, so that every further save evicts a paste.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tidebin::paste::Timestamp;
use tidebin::store::Tier;
use tidebin::store::seal::Keys;
use tidebin::store::sqlite::{Opened, Store};

use crate::directory::Directory;
use crate::pastes::{at, holder, id, random_paste};
use crate::savers::{Until, run};

pub(crate) const KIBIBYTE: usize = 1024;

/// The number of clients who save.
const HOLDERS: u64 = 1_000;

/// The bytes of disk that a small paste is charged, and the bytes that are no room for pastes: the log and the ballast.
const CHARGE: usize = 5 * 1024;
const APART: usize = 68 << 20;

pub(crate) struct Full {
    pub(crate) directory: Directory,
    pub(crate) store: Arc<Store>,
    /// The number of pastes.
    pub(crate) count: u64,
}

impl Full {
    /// Fills a new store with about this many pastes. It prints how long that took.
    pub(crate) fn fill(count: u64) -> Self {
        let directory = Directory::new(&format!("full-{count}"));
        let store = Arc::new(open(directory.path(), disk_for(count), memory_for(count)));
        let start = Instant::now();
        let mut saved = 0;
        while store.removal_counts().evicted == 0 {
            let store = Arc::clone(&store);
            let more = if saved == 0 { count * 99 / 100 } else { 100 };
            run(1024, saved, Until::Saved(more), async move |n| {
                save(&store, n, KIBIBYTE).await
            });
            saved += more;
        }
        println!(
            "\n{} pastes of 1 KiB from {HOLDERS} clients fill {:.2} GB of files in {:.0} s",
            store.occupancy().pastes,
            directory.bytes() as f64 / 1e9,
            start.elapsed().as_secs_f64()
        );
        Self {
            directory,
            store,
            count: saved,
        }
    }
}

/// Opens a store with these budgets.
pub(crate) fn open(directory: &Path, disk: usize, memory: usize) -> Store {
    let opened = Opened::open(directory, disk, memory, Keys::new(&[7; 32])).unwrap();
    Store::start(opened, Box::new(|_| ()), now).unwrap()
}

/// Saves the n-th paste, of random bytes.
pub(crate) async fn save(store: &Store, n: u64, size: usize) {
    let now = now();
    let paste = random_paste(size, n, now);
    let saved = store.insert(now, holder(n, HOLDERS), id(n), paste).await;
    saved.unwrap();
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    at(u64::try_from(since.as_millis()).unwrap())
}

/// The budget of disk in which this many small pastes fit.
pub(crate) fn disk_for(count: u64) -> usize {
    usize::try_from(count).unwrap() * CHARGE / 15 * 16 + APART
}

/// The budget of memory: the default, or more if the index of the pastes needs it.
pub(crate) fn memory_for(count: u64) -> usize {
    if count > 500_000 {
        256 << 20
    } else {
        128 << 20
    }
}
