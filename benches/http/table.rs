//! The table of results. It is Markdown, printed row by row and written to a file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cell::Cell;
use crate::load::version;

/// The explanation of the column of errors.
const CHECKED: &str = "Errors are failed connections, late responses, and statuses of 400 and above where the row \
expects success, or the other way round. wrk reports no exact statuses, so the bench sends \
one request before and one after each cell and checks its status.";

/// The table, with the text printed so far.
pub(crate) struct Table {
    text: String,
}

impl Table {
    /// Starts the table with a description of the machine and the column headings.
    pub(crate) fn begin() -> Self {
        let mut table = Self {
            text: String::new(),
        };
        table.line(&machine());
        table.line("");
        table.line(CHECKED);
        table.line("");
        table.line(&format!(
            "| {:<38} | {:>11} | {:>10} | {:>6} | {:>5} | {:>10} | {:>7} | {:>7} | {:>6} |",
            "request",
            "connections",
            "µs/request",
            "bare",
            "ratio",
            "requests/s",
            "p50, ms",
            "p99, ms",
            "errors"
        ));
        table.line("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
        table
    }

    /// Adds one row of figures.
    pub(crate) fn cell(&mut self, name: &str, connections: usize, cell: &Cell) {
        let Cell {
            ours,
            bare,
            rate,
            p50,
            p99,
            errors,
        } = cell;
        let ratio = ours / bare;
        self.line(&format!(
            "| {name:<38} | {connections:>11} | {ours:>10.2} | {bare:>6.2} | {ratio:>5.2} | {rate:>10.0} | {p50:>7.2} \
             | {p99:>7.2} | {errors:>6} |",
        ));
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
