//! The processor time of the sweeper while twenty thousand pastes per second are saved and as many expire.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tidebin::clock::Clock;
use tidebin::store::{Budget, Store, Sweeper};

use crate::pastes::{holder, id, paste};

const RATE: u32 = 20_000;
/// The number of pastes that are saved at each step of time.
const STEP: u32 = 20;
/// Seconds before the measurement. The pastes expire after one or two seconds, so by then as many expire as are saved.
const SETTLING: u32 = 3;
const SECONDS: u32 = 10;
/// The maximum share of a core that the sweeper should use.
const TARGET: f64 = 0.05;

pub(crate) fn run() {
    let clock = Clock::system();
    let store = Arc::new(Store::new(Budget::new(256 << 20)));
    let now = {
        let clock = clock.clone();
        move || clock.timestamp()
    };
    let sweeper = Sweeper::start(Arc::clone(&store), now.clone()).unwrap();
    let task = task("sweeper");
    let save = |n: u64| {
        let paste = paste(64, 1 + n % 2, now());
        store.insert(now(), holder(n, 1_000), id(n), paste).unwrap();
    };
    let mut saved = 0;
    let mut drive = |seconds: u32| {
        let start = Instant::now();
        for step in 0..seconds * RATE / STEP {
            let due = start + Duration::from_secs(1) * step * STEP / RATE;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            (saved..saved + u64::from(STEP)).for_each(&save);
            saved += u64::from(STEP);
        }
        start.elapsed().as_secs_f64()
    };
    drive(SETTLING);
    let (before, expired) = (processor_time(&task), store.removal_counts().expired);
    let wall = drive(SECONDS);
    let took = (processor_time(&task) - before).as_secs_f64();
    let expired = store.removal_counts().expired - expired;
    assert_eq!(store.removal_counts().evicted, 0, "room for all");
    drop(sweeper);
    let a_second = f64::from(u32::try_from(expired).unwrap()) / wall;
    println!(
        "sweeper: {:.2} % of a core while {:.0} pastes per second are saved and {a_second:.0} expire (target: at most {:.0} %), {:.0} ns per paste",
        took / wall * 100.0,
        f64::from(SECONDS * RATE) / wall,
        TARGET * 100.0,
        took / wall / a_second * 1e9
    );
}

/// Returns the directory of the thread with this name in `/proc`.
fn task(name: &str) -> PathBuf {
    // The new thread may not be listed with its name yet.
    loop {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let mut tasks = tasks.map(|task| task.unwrap().path());
        let is_it = |task: &PathBuf| {
            std::fs::read_to_string(task.join("comm")).is_ok_and(|comm| comm.trim_end() == name)
        };
        if let Some(task) = tasks.find(is_it) {
            return task;
        }
        thread::yield_now();
    }
}

/// Returns the processor time of the thread: in nanoseconds if the kernel counts them, or else in ticks.
fn processor_time(task: &Path) -> Duration {
    nanoseconds(task).map_or_else(|| ticks(task), Duration::from_nanos)
}

/// Returns `None` if the kernel does not count nanoseconds. The file is missing then, or contains zero.
fn nanoseconds(task: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(task.join("schedstat")).ok()?;
    let nanoseconds = text.split(' ').next()?.parse().ok()?;
    (nanoseconds > 0).then_some(nanoseconds)
}

/// User and system time, which Linux reports in hundredths of a second. The target is 50 of these in this measurement.
fn ticks(task: &Path) -> Duration {
    let stat = std::fs::read_to_string(task.join("stat")).unwrap();
    let fields = stat.rsplit(") ").next().unwrap().split(' ');
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(10 * ticks)
}
