//! The report: a line per minute, two curves, and the verdict.

use std::path::Path;
use std::time::Duration;

use crate::curve::{Axis, Panel, Picture, Scale, Series};
use crate::tally::Minute;
use crate::timing::{Latencies, median};

/// The time until pools and caches are full.
const SETTLING: Duration = Duration::from_secs(3 * 60);
/// Maximum growth of the highest memory of a minute after that time, as a share of the least of them.
const FLAT: f64 = 0.03;
/// The p99 of the worst minute may be at most this many times the p99 of the median minute.
const STEADY: f64 = 2.0;

const MEBIBYTE: f64 = 1_048_576.0;

/// The measurements so far.
pub(crate) struct Report {
    settling: Duration,
    /// The resident memory, once per second.
    memory: Vec<(Duration, f64)>,
    /// The p99 of each minute in milliseconds.
    p99: Vec<f64>,
    errors: u64,
}

impl Report {
    /// Creates a report of this many minutes. In a short run, half of the time is for settling.
    pub(crate) fn new(minutes: u32) -> Self {
        Self {
            settling: SETTLING.min(Duration::from_secs(30) * minutes),
            memory: Vec::new(),
            p99: Vec::new(),
            errors: 0,
        }
    }

    pub(crate) fn memory(&mut self, since_start: Duration, bytes: usize) {
        self.memory.push((since_start, bytes as f64));
    }

    /// Prints and records a minute in which the server used this share of a core.
    pub(crate) fn minute(&mut self, nth: u32, minute: &Minute, share: f64, kept: usize) {
        let latencies = Latencies::of(minute.answered.clone());
        let p99 = latencies.exceeded_by_one_in(100.0);
        let errors: u64 = minute.errors.values().sum();
        let (_, resident) = self.memory.last().unwrap();
        println!(
            "minute {nth:>3}: {:>5.1} MiB resident, {:>7} responses ({} of them 410), {} hang-ups, {errors} errors, p50 {:.2} ms, p99 {p99:.2} ms, about {kept} pastes stored, {:.0} % of a core",
            resident / MEBIBYTE,
            latencies.count(),
            minute.gone,
            minute.left,
            latencies.exceeded_by_one_in(2.0),
            share * 100.0
        );
        for (error, count) in &minute.errors {
            println!("    {count} times {error}");
        }
        self.p99.push(p99);
        self.errors += errors;
    }

    /// Prints the verdict of each check. Returns whether all checks passed.
    pub(crate) fn verdict(&self) -> bool {
        let is_well = [self.is_flat(), self.is_steady(), self.errors == 0];
        println!("errors: {}: {}", self.errors, word(self.errors == 0));
        is_well.into_iter().all(|is_well| is_well)
    }

    /// Returns whether the memory stayed constant. It grows and shrinks several times per minute, as freed memory is
    /// returned. So each minute counts with its highest memory.
    fn is_flat(&self) -> bool {
        let settled = self.memory.iter().filter(|(when, _)| *when > self.settling);
        let settled: Vec<_> = settled.map(|(_, bytes)| bytes / MEBIBYTE).collect();
        let minutes = settled.chunks_exact(60.min(settled.len()));
        let highest = minutes.map(|minute| minute.iter().copied().fold(0.0, f64::max));
        let (least, most) = highest.fold((f64::MAX, 0.0), |(least, most): (f64, f64), now| {
            (least.min(now), most.max(now))
        });
        let moved = most / least - 1.0;
        let is_flat = moved <= FLAT;
        println!(
            "highest memory of each minute after {} s: {least:.1} to {most:.1} MiB, a growth of {:.1} % (target: at most {:.0} %): {}",
            self.settling.as_secs(),
            moved * 100.0,
            FLAT * 100.0,
            word(is_flat)
        );
        is_flat
    }

    /// Returns whether no minute was much slower than the others.
    fn is_steady(&self) -> bool {
        let middle = median(self.p99.clone());
        let worst = self.p99.iter().copied().fold(0.0, f64::max);
        let is_steady = worst <= STEADY * middle;
        println!(
            "p99: {middle:.2} ms in the median minute, {worst:.2} ms in the worst, {:.2} times as long (target: at most {STEADY:.0}): {}",
            worst / middle,
            word(is_steady)
        );
        is_steady
    }

    pub(crate) fn draw(&self, folder: &Path) {
        let mut resident = Series::new("resident");
        let in_minutes = |when: Duration| when.as_secs_f64() / 60.0;
        let points = self.memory.iter();
        resident.points = points
            .map(|(when, bytes)| (in_minutes(*when), bytes / MEBIBYTE))
            .collect();
        let mut p99 = Series::new("p99 of each minute");
        let minutes = (1_u32..).map(f64::from);
        p99.points = minutes.zip(self.p99.iter().copied()).collect();
        Picture {
            title: "Resident memory and p99 over time, under a steady mixed load".to_owned(),
            panels: vec![
                panel("Resident memory of the server", "MiB", resident),
                panel("Latency of all requests", "milliseconds", p99),
            ],
        }
        .write(folder, "soak");
    }
}

fn word(is_well: bool) -> &'static str {
    if is_well { "passed" } else { "FAILED" }
}

fn panel(title: &str, unit: &str, series: Series) -> Panel {
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        scale: Scale::Linear,
        name: |value| format!("{}", (value * 1000.0).round() / 1000.0),
    };
    Panel {
        title: title.to_owned(),
        x: axis("minutes"),
        y: axis(unit),
        series: vec![series],
    }
}
