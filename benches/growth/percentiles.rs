//! Percentiles: the latencies of reads under several conditions, drawn as one line for each condition.

use std::path::Path;

use crate::curve::{Axis, Panel, Picture, Scale, Series};
use crate::timing::Latencies;

/// The percentiles to draw, from p50 to p99.999: one read in this many takes longer.
const ONE_IN: [f64; 6] = [2.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0];

/// Prints the latencies under one condition, and returns them as a line.
pub(crate) fn line(condition: &str, latencies: &Latencies) -> Series {
    println!("{condition:<34} {latencies}");
    // A percentile is drawn only if at least ten reads took longer.
    let is_told = |one_in: &f64| latencies.exceeding(*one_in) >= 10;
    Series {
        name: condition.to_owned(),
        points: ONE_IN
            .into_iter()
            .filter(is_told)
            .map(|one_in| (one_in, latencies.exceeded_by_one_in(one_in)))
            .collect(),
    }
}

/// Draws all lines into one picture.
pub(crate) fn draw(title: &str, series: Vec<Series>, folder: &Path, name: &str) {
    let panel = Panel {
        title: title.to_owned(),
        x: Axis {
            label: "share of reads that take no longer".to_owned(),
            scale: Scale::LogAt(&ONE_IN),
            name: percentile,
        },
        y: Axis {
            label: "milliseconds".to_owned(),
            scale: Scale::Log(10.0),
            name: |milliseconds| format!("{milliseconds}"),
        },
        series,
    };
    Picture {
        title: title.to_owned(),
        panels: vec![panel],
    }
    .write(folder, name);
}

/// Formats a percentile: for one in a hundred `99 %`.
fn percentile(one_in: f64) -> String {
    let digits = if one_in > 100.0 {
        one_in.log10() - 2.0
    } else {
        0.0
    };
    let percent = 100.0 - 100.0 / one_in;
    match digits {
        0.0 => format!("{percent:.0} %"),
        1.0 => format!("{percent:.1} %"),
        2.0 => format!("{percent:.2} %"),
        _ => format!("{percent:.3} %"),
    }
}
