//! The times of a find, a save, a save that evicts, and a sweep, by the number of pastes and of clients.
//!
//! The saves that bring an empty store to the requested number of pastes are measured first, and then finds. Then the
//! store is filled, so evictions and sweeps are measured at its capacity.

use std::path::Path;

use tidebin::store::Tier;
use tidebin::store::memory::{Budget, Store, cost_of};

use crate::curve::{Axis, Panel, Picture, Scale, Series};
use crate::pastes::{at, holder, id, paste};
use crate::random::random;
use crate::timing::{PARTS, each, median, timed, timed_with};
use crate::{grouped, in_own_process, number};

const OPERATIONS: [&str; 4] = [
    "find",
    "save into a growing store",
    "save that evicts",
    "sweep, per paste",
];
const COUNTS: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Maximum resident bytes of a tiny paste, its share of the tables included. The store charges more, because it also
/// charges counts of reads that are not allocated yet.
const RESIDENT: u64 = 640;

pub(crate) fn run(folder: &Path) {
    let panels = [1, 1_000].map(|holders| {
        let mut series = OPERATIONS.map(Series::new);
        let most = number("most").unwrap_or(u64::MAX);
        for count in COUNTS.into_iter().filter(|count| *count <= most) {
            let free = available();
            if count * RESIDENT > free {
                println!("{count} pastes may need more than the {free} free bytes of memory: skipped");
                break;
            }
            let figures = in_own_process(&[format!("count={count}"), format!("holders={holders}")]);
            let [find, growing, evicting, sweep, kept, miss, grown] = figures[..] else {
                unreachable!("seven figures");
            };
            let points = [(grown, find), (grown, growing), (kept, evicting), (kept, sweep)];
            for (line, point) in series.iter_mut().zip(points) {
                line.points.push(point);
            }
            println!(
                "{:>10} pastes of {holders:>5} clients: find {find:>5.0} ns, miss {miss:>5.0} ns, save into the growing store {growing:>5.0} ns; full with {:>10} pastes: save that evicts {evicting:>5.0} ns, sweep {sweep:>5.0} ns per paste",
                grouped(grown),
                grouped(kept)
            );
        }
        panel(holders, series.into())
    });
    Picture {
        title: "Time of the store's operations by the number of stored pastes".to_owned(),
        panels: panels.into(),
    }
    .write(folder, "operations");
}

fn panel(holders: u64, series: Vec<Series>) -> Panel {
    let holders = match holders {
        1 => "one client".to_owned(),
        holders => format!("{holders} clients"),
    };
    Panel {
        title: format!("Operations of the store, {holders}"),
        x: Axis {
            label: "pastes in the store".to_owned(),
            scale: Scale::Log(10.0),
            name: grouped,
        },
        y: Axis {
            label: "nanoseconds".to_owned(),
            scale: Scale::Log(10.0),
            name: grouped,
        },
        series,
    }
}

/// Returns the bytes of memory that are available on the machine.
fn available() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<u64>().unwrap() * 1024
}

/// Returns whether this process was started to measure one store. If so, measures it and prints the figures.
pub(crate) fn is_child() -> bool {
    let asked = number("count").zip(number("holders"));
    if let Some((count, holders)) = asked {
        measure(count, holders);
    }
    asked.is_some()
}

/// Measures a store of tiny pastes, so that the time to copy contents does not count.
fn measure(count: u64, holders: u64) {
    let tiny = |n: u64| paste(64, 3600 + random(n) % 1000, at(0));
    let cost = cost_of(&tiny(0)) * 5 / 4;
    let budget = count * u64::try_from(cost).unwrap() + holders.min(count) * 120;
    let store = Store::new(
        Budget::new(usize::try_from(budget).unwrap()),
        Box::new(|_| ()),
    );
    let save = |from: u64, n, paste| {
        store
            .insert(at(0), holder(n, holders), id(from + n), paste)
            .unwrap()
    };
    let growing = timed_with(count, tiny, |n, paste| save(0, n, paste));
    let calls = 1_000_000.min(count * 100);
    let find = timed(calls, |n| {
        assert!(store.get(at(0), id(random(n) % count)).is_ok())
    });
    let miss = timed(calls, |n| {
        assert!(store.get(at(0), id(count * 10 + n)).is_err())
    });
    let mut n = 0;
    while store.removal_counts().evicted == 0 {
        save(count * 20, n, tiny(n));
        n += 1;
    }
    let evicting = timed_with(count, tiny, |n, paste| save(count * 40, n, paste));
    let kept = store.occupancy().pastes;
    println!(
        "{find} {growing} {evicting} {} {kept} {miss} {count}",
        sweep(&store)
    );
}

/// Sweeps all pastes in [`PARTS`] sweeps. Returns the median of their times in nanoseconds per paste.
fn sweep(store: &Store) -> f64 {
    let parts = (1..=PARTS).filter_map(|part| {
        let now = at((3600 + 1000 * part / PARTS) * 1000);
        let start = std::time::Instant::now();
        let swept = store.sweep(now) as u64;
        (swept > 0).then(|| each(start.elapsed(), swept))
    });
    let a_paste = median(parts.collect());
    assert_eq!(store.occupancy().pastes, 0);
    a_paste
}
