//! The table of results. It is Markdown, printed row by row and written to a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::baseline::Baseline;
use crate::cell::Cell;
use crate::load::version;

/// The explanation of the columns.
const EXPLANATION: &str =
    "Each row compares tidebin with a bare actix-web handler that sends as many bytes with the \
same status; both run in turns under wrk. `µs/request` is the processor time of the server per \
request. `of rounds` is the smallest and the largest ratio of a round. `before` is the ratio in \
an earlier run.

Errors are failed connections, late responses, and statuses of 400 and above where the row \
expects success, or the other way round. wrk reports no exact statuses, so the bench sends \
one request before and one after each cell and checks its status.";

/// The table, with the text printed so far, and its figures for a later comparison.
pub(crate) struct Table {
    text: String,
    before: Baseline,
    pub(crate) figures: Baseline,
}

impl Table {
    /// Starts the table with a description of the machine and the column headings. The figures will be compared with
    /// those of `before`.
    pub(crate) fn begin(before: Baseline) -> Self {
        let mut table = Self {
            text: String::new(),
            before,
            figures: Baseline::default(),
        };
        table.line("# Cost of requests over HTTP");
        table.line("");
        table.line(&format!(
            "Written by `cargo bench --bench http` on {}. Machine: {}.",
            today(),
            machine()
        ));
        table.line("");
        table.line(EXPLANATION);
        table.line("");
        table.line(&format!(
            "| {:<38} | {:>11} | {:>10} | {:>7} | {:>5} | {:>11} | {:>10} | {:>7} | {:>7} | {:>6} | {:>6} | {:>6} |",
            "request",
            "connections",
            "µs/request",
            "bare",
            "ratio",
            "of rounds",
            "requests/s",
            "p50, ms",
            "p99, ms",
            "errors",
            "before",
            "change"
        ));
        table.line("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        table
    }

    /// Adds one row of figures. The ratio is compared with the one before.
    pub(crate) fn cell(&mut self, name: &str, connections: usize, cell: &Cell) {
        let Cell {
            ours,
            bare,
            ratio,
            spread: [least, most],
            rate,
            p50,
            p99,
            errors,
        } = cell;
        let [before, change] = self.compared(&format!("{name}, {connections}"), *ratio);
        self.line(&format!(
            "| {name:<38} | {connections:>11} | {ours:>10.2} | {bare:>7.2} | {ratio:>5.2} | {least:>5.2}–{most:<5.2} \
             | {rate:>10.0} | {p50:>7.2} | {p99:>7.2} | {errors:>6} | {before:>6} | {change:>6} |",
        ));
    }

    /// Starts the second table.
    pub(crate) fn begin_figures(&mut self) {
        self.line("");
        self.line(&format!(
            "| {:<50} | {:>14} | {:>11} | {:>6} |",
            "figure", "now", "before", "change"
        ));
        self.line("|---|--:|--:|--:|");
    }

    /// Adds a single figure to the second table.
    pub(crate) fn figure(&mut self, name: &str, figure: f64, unit: &str) {
        let [before, change] = self.compared(name, figure);
        let figure = format!("{} {unit}", short(figure));
        let figure = figure.trim_end();
        self.line(&format!(
            "| {name:<50} | {figure:>14} | {before:>11} | {change:>6} |"
        ));
    }

    /// Records the figure. Returns the one before and the change, as text.
    fn compared(&mut self, name: &str, figure: f64) -> [String; 2] {
        self.figures.add(name, figure);
        match self.before.figure(name) {
            Some(before) => [
                short(before),
                format!("{:+.0} %", (figure / before - 1.0) * 100.0),
            ],
            None => [NONE.to_owned(), NONE.to_owned()],
        }
    }

    /// Adds a line of text.
    pub(crate) fn line(&mut self, line: &str) {
        println!("{line}");
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes the table to the target directory. Returns its path.
    pub(crate) fn write(&self) -> PathBuf {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("http.md");
        fs::write(&path, &self.text).unwrap();
        path
    }
}

/// The mark in place of a figure that was not measured before.
const NONE: &str = "–";

/// Formats a figure: the smaller it is, the more decimals it has.
fn short(figure: f64) -> String {
    match figure {
        whole if whole.fract() == 0.0 => format!("{whole:.0}"),
        small if small < 10.0 => format!("{small:.2}"),
        middle if middle < 1000.0 => format!("{middle:.1}"),
        large => format!("{large:.0}"),
    }
}

/// The date, such as `2026-11-22`.
fn today() -> String {
    let date = Command::new("date").args(["-u", "+%F"]).output().unwrap();
    String::from_utf8_lossy(&date.stdout).trim().to_owned()
}

/// Describes the machine, such as `Some Processor, 2 cores, Linux 6.12, wrk 4.1.0`.
fn machine() -> String {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap();
    let mut models = processors
        .lines()
        .filter_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = models.next().map_or("unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().unwrap();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let wrk = version().unwrap_or_default();
    format!("{model}, {cores} cores, Linux {}, wrk {wrk}", kernel.trim())
}
