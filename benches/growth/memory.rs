//! Resident memory by the size of contents, compared with the charge of the store.

use std::path::Path;

use tidebin::store::Tier;
use tidebin::store::memory::{Budget, Store};

use crate::curve::{Axis, Panel, Picture, Scale, Series};
use crate::load::resident::resident_bytes;
use crate::pastes::{at, holder, id, paste};
use crate::{grouped, in_own_process, number};

/// The sizes of contents in bytes.
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
        let [resident, charged] = a_paste(size);
        for (line, figure) in series.iter_mut().zip([resident, charged]) {
            line.points.push((as_float(size), figure - as_float(size)));
        }
    }
    Picture {
        title: "Overhead of a paste that was read once, in bytes, by the size of its content"
            .to_owned(),
        panels: vec![panel(series.into())],
    }
    .write(folder, "memory");
}

/// Measures pastes of this size that were read once. Prints and returns the bytes that one paste uses and the bytes
/// that it is charged.
fn a_paste(size: u64) -> [f64; 2] {
    let [resident, charged, kept] = in_own_process(&[format!("resident={size}")])[..] else {
        unreachable!("three figures");
    };
    println!(
        "{kept:>7} pastes of {size:>7} bytes: per paste {resident:>7} bytes resident ({:.2} times its content), {charged:>7} charged, tables included",
        resident / as_float(size)
    );
    [resident, charged]
}

fn panel(series: Vec<Series>) -> Panel {
    Panel {
        title: "Overhead of a paste that was read once, in a full store of 128 MiB".to_owned(),
        x: Axis {
            label: "size of the content".to_owned(),
            scale: Scale::Log(4.0),
            name: bytes,
        },
        y: Axis {
            label: "bytes in addition to the content".to_owned(),
            scale: Scale::Log(10.0),
            name: grouped,
        },
        series,
    }
}

/// Formats a number of bytes, such as `64 B`, `16 KiB` or `1 MiB`.
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

/// Returns whether this process was started to fill one store. If so, fills the store and prints the figures.
pub(crate) fn is_child() -> bool {
    let size = number("resident");
    if let Some(size) = size {
        resident(usize::try_from(size).unwrap());
    }
    size.is_some()
}

/// Prints the resident and the charged bytes per paste, and the number of pastes.
fn resident(size: usize) {
    let store = Store::new(Budget::new(BUDGET), Box::new(|_| ()));
    let before = resident_bytes();
    // This stops before the first eviction, because the memory of evicted pastes may stay resident.
    let mut n = 0;
    while store.occupancy().bytes + size + 1024 < store.room() {
        store
            .insert(at(n), holder(n, 1), id(n), paste(size, 3600, at(n)))
            .unwrap();
        store.get(at(n), id(n)).unwrap();
        n += 1;
    }
    let kept = store.occupancy().pastes;
    let resident = resident_bytes() - before;
    let charged = store.occupancy().bytes + BUDGET - store.room();
    println!("{} {} {kept}", resident / kept, charged / kept);
}
