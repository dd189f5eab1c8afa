//! Saves of 1 KiB into an empty store, beside a raw synced log and bare SQLite on the same file system.

use std::time::Duration;

use crate::directory::Directory;
use crate::full::{self, KIBIBYTE};
use crate::random::random_bytes;
use crate::savers::{Saved, Until, run as run_savers};
use crate::synced_log::Batches;
use crate::timing::median;
use crate::{bare_database, synced_log};

const SAVERS: [u64; 3] = [1, 64, 1024];
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_secs(2);

/// The bytes of a record: as many as a sealed paste of 1 KiB takes.
const RECORD: usize = 1126;

#[derive(Debug, Clone, Copy)]
enum Contestant {
    Log,
    Bare,
    Store,
}

const CONTESTANTS: [(&str, Contestant); 3] = [
    ("raw synced log", Contestant::Log),
    ("bare SQLite", Contestant::Bare),
    ("store", Contestant::Store),
];

pub(crate) fn run() {
    println!("\nsaves of 1 KiB into an empty store, the middle of {ROUNDS} rounds that take turns");
    for savers in SAVERS {
        let mut rounds: [Vec<Saved>; 3] = Default::default();
        for _ in 0..ROUNDS {
            for ((_, contestant), rounds) in CONTESTANTS.into_iter().zip(&mut rounds) {
                rounds.push(contestant.round(savers));
            }
        }
        let log = median(rounds[0].iter().map(|saved| saved.per_second).collect());
        for ((name, _), mut rounds) in CONTESTANTS.into_iter().zip(rounds) {
            rounds.sort_by(|one, other| one.per_second.total_cmp(&other.per_second));
            let middle = &rounds[ROUNDS / 2];
            let ratio = middle.per_second / log;
            println!("{savers:>6} savers, {name:<14}: {middle}, {ratio:.2} of the log");
        }
    }
}

impl Contestant {
    fn round(self, savers: u64) -> Saved {
        let directory = Directory::new("saves");
        let until = Until::Passed(ROUND);
        let batches = |batches: Batches| {
            run_savers(savers, 0, until, async move |n| {
                batches.save(random_bytes(RECORD, n)).await;
            })
        };
        match self {
            Self::Log => batches(synced_log::start(directory.path())),
            Self::Bare => batches(bare_database::start(directory.path())),
            Self::Store => {
                let store = full::open(directory.path(), 4 << 30, 256 << 20);
                run_savers(savers, 0, until, async move |n| {
                    full::save(&store, n, KIBIBYTE).await
                })
            }
        }
    }
}
