//! Resident memory by the size of contents and the number of clients, compared with the charge of the store.

use std::path::Path;

use tidebin::fairness::ClientKey;
use tidebin::store::{Budget, Store};

use crate::curve::{Axis, Panel, Picture, Scale, Series};
use crate::pastes::{at, holder, id, paste};
use crate::random::random;
use crate::{grouped, in_own_process, number};

/// 64 B to 1 MiB.
const SIZES: [u64; 8] = [
    64,
    256,
    1 << 10,
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
];

const BUDGET: usize = 128 << 20;

pub(crate) fn run(folder: &Path) {
    let mut series = ["resident", "charged"].map(Series::new);
    for size in SIZES {
        let [resident, charged] = a_paste(size, 1);
        for (line, figure) in series.iter_mut().zip([resident, charged]) {
            line.points.push((as_float(size), figure - as_float(size)));
        }
    }
    for holders in [1_000, 100_000, u64::MAX] {
        a_paste(1024, holders);
    }
    let [before, after, kept] = in_own_process(&["passing=1".to_owned()])[..] else {
        unreachable!("three figures");
    };
    println!(
        "1,000,000 holders pass through {kept} pastes: resident {before} bytes before, {after} after"
    );
    Picture {
        title: "Bytes that a paste takes beside its content, by the content's size".to_owned(),
        panels: vec![panel(series.into())],
    }
    .write(folder, "memory");
}

/// Prints and gives what one is in memory, and what is charged for it.
fn a_paste(size: u64, holders: u64) -> [f64; 2] {
    let arguments = [format!("resident={size}"), format!("holders={holders}")];
    let [resident, charged, kept] = in_own_process(&arguments)[..] else {
        unreachable!("three figures");
    };
    let holders = match holders {
        u64::MAX => "each its own".to_owned(),
        holders => holders.to_string(),
    };
    println!(
        "{kept:>7} pastes of {size:>7} bytes, holders {holders:>12}: {resident:>7} resident each, {charged:>7} charged each with the tables, {:.2} of the content",
        resident / as_float(size)
    );
    [resident, charged]
}

fn panel(series: Vec<Series>) -> Panel {
    Panel {
        title: "Memory of a paste beside its content, in a full store of 128 MiB".to_owned(),
        x: Axis {
            label: "content".to_owned(),
            scale: Scale::Log(4.0),
            name: bytes,
        },
        y: Axis {
            label: "bytes above the content".to_owned(),
            scale: Scale::Log(10.0),
            name: grouped,
        },
        series,
    }
}

/// `64 B`, `16 KiB`, `1 MiB`.
fn bytes(count: f64) -> String {
    match count {
        mebibytes if count >= 1_048_576.0 => format!("{:.0} MiB", mebibytes / 1_048_576.0),
        kibibytes if count >= 1024.0 => format!("{:.0} KiB", kibibytes / 1024.0),
        bytes => format!("{bytes:.0} B"),
    }
}

#[allow(clippy::cast_precision_loss, reason = "for figures that are printed")]
fn as_float(number: u64) -> f64 {
    number as f64
}

/// Whether this process was started to fill one store; prints what it took if so.
pub(crate) fn is_child() -> bool {
    if let Some((size, holders)) = number("resident").zip(number("holders")) {
        resident(usize::try_from(size).unwrap(), holders);
        return true;
    }
    let is_passing = number("passing").is_some();
    if is_passing {
        passing();
    }
    is_passing
}

/// Resident memory a paste, beside what the store charges for it.
fn resident(size: usize, holders: u64) {
    let store = Store::new(Budget::new(BUDGET));
    let before = resident_bytes();
    // Until it is full, with no paste of which more is resident than is kept.
    let mut n = 0;
    while store.occupancy().bytes + size + 1024 < store.room() {
        store
            .insert(at(n), holder(n, holders), id(n), paste(size, 3600, at(n)))
            .unwrap();
        n += 1;
    }
    let kept = store.occupancy().pastes;
    let resident = resident_bytes() - before;
    let charged = store.occupancy().bytes + BUDGET - store.room();
    println!("{} {} {kept}", resident / kept, charged / kept);
}

/// Resident memory while a million holders, each in a network of its own, pass through a full store.
fn passing() {
    let store = Store::new(Budget::new(BUDGET));
    let save = |n: u64| {
        let holder = ClientKey {
            network: random(n),
            client: random(n),
        };
        store
            .insert(at(n), holder, id(n), paste(64, 3600, at(n)))
            .unwrap();
    };
    (0..250_000).for_each(save);
    let before = resident_bytes();
    (250_000..1_250_000).for_each(save);
    let kept = store.occupancy().pastes;
    println!("{before} {} {kept}", resident_bytes());
}

fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<usize>().unwrap() * 1024
}
