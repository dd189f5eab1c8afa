//! Logs: the time and the level that a line of a log states, in the forms that programs and libraries commonly write.
//!
//! Invariants: a level is returned only where a line states one, such as in capitals or in brackets. A word like
//! "error" in a message is none. The first level of a line counts.
//! Cost: one pass over the first [`WITHIN`] bytes of a line, or the first [`JSON_WITHIN`] of a line of JSON.

mod level;
mod time;

use std::ops::Range;

pub use level::LogLevel;
pub(super) use time::MONTHS;

/// The bytes at the start of a line that are searched for its level.
const WITHIN: usize = 256;
const JSON_WITHIN: usize = 4096;

/// The least number of lines with a time or a level, by which a text is recognised as a log.
const LEAST: usize = 3;

/// The facts that a line of a log states about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The bytes of the line that are the time of the event, with its date.
    pub time: Option<Range<usize>>,
    /// The level, and the bytes of the line that state it. The report of a failure, such as a panic, names no level.
    pub level: Option<(LogLevel, Range<usize>)>,
}

impl LogLine {
    /// Reads a line.
    pub fn of(line: &str) -> Self {
        let is_json = line.trim_start().starts_with('{');
        let within = if is_json { JSON_WITHIN } else { WITHIN };
        let start = &line[..line.floor_char_boundary(within)];
        let mut time = time::time(start);
        let level = level::level(start, is_json, time.as_ref().map_or(0, |time| time.end));
        // A level before the time is no part of it.
        if let (Some(time), Some((_, at))) = (&mut time, &level)
            && at.start < time.end
        {
            time.start = time.start.max(at.end);
        }
        Self { time, level }
    }

    /// Returns true if the line is one of a log for certain: it has the time of an event, or its level is marked as
    /// such.
    fn is_certain(&self, line: &str) -> bool {
        let is_marked = |(_, at): &(LogLevel, Range<usize>)| {
            let before = line[..at.start].bytes().next_back();
            let after = line[at.end..].trim_start().bytes().next();
            match (before, after) {
                (None, Some(b'[')) | (_, Some(b':' | b']')) | (Some(b'='), _) => true,
                _ => line.starts_with('{'),
            }
        };
        let is_of_event = |time: &Range<usize>| time::is_of_event(line, time);
        self.time.as_ref().is_some_and(is_of_event) || self.level.as_ref().is_some_and(is_marked)
    }
}

/// Returns true if the text with these lines is a log: three of four lines certainly are of one. Indented lines
/// continue another one and do not count, nor do the first and the last line of a trace. A table with a column of times
/// is no log, unless half of its rows have a level.
pub(super) fn is_log(lines: &[&str], is_table: bool) -> bool {
    let (mut heads, mut certain, mut levels, mut full) = (0, 0, 0, 0);
    let mut is_within_trace = false;
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let read = LogLine::of(line);
        let is_first =
            line.starts_with(TRACEBACK) || lines.get(at + 1).is_some_and(|it| is_frame(it));
        let is_last = std::mem::replace(&mut is_within_trace, is_first);
        if !read.is_certain(line) && (is_first || is_last) {
            continue;
        }
        heads += 1;
        certain += usize::from(read.is_certain(line));
        levels += usize::from(read.level.is_some());
        let has_more = read.level.is_some() || line.contains("\" 200 ") || line.contains(" HTTP/");
        full += usize::from(has_more && read.time.is_some() && read.is_certain(line));
    }
    let is_enough = certain >= LEAST || full > 0 && full == heads;
    is_enough && certain * 4 >= heads * 3 && (levels * 2 >= heads || !is_table)
}

/// The first line of a trace of Python.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// Returns true if the lines are the report of a failure: the trace of a stack, a panic, or the error of a compiler.
pub(super) fn is_failure(lines: &[&str]) -> bool {
    const STARTS: [&str; 11] = [
        TRACEBACK,
        "Exception in thread \"",
        "panic: ",
        "goroutine 1 [",
        "thread '",
        "error[E",
        "Unhandled exception",
        "npm ERR! ",
        "npm error ",
        "PHP Fatal error: ",
        "PHP Warning: ",
    ];
    let is_of_compiler = |line: &&str| {
        let place = ["error", "warning"]
            .iter()
            .find_map(|level| line.split_once(&format!(": {level}")));
        // `main.c:5:88`, `Main.java:3`, `main.cs(12,5)`
        place.is_some_and(|(place, rest)| {
            let number = place.rsplit([':', '(', ',']).next().unwrap_or_default();
            let number = number.trim_end_matches(')');
            let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
            is_number && number.len() < place.len() && !place.contains(' ') && rest.contains(':')
        })
    };
    let first = lines.first().copied().unwrap_or_default();
    // `main.c: In function 'main':`
    let is_introduced = first.starts_with("In file included from ") || first.contains(": In ");
    STARTS.iter().any(|start| first.starts_with(start)) && lines.len() > 1
        || lines.iter().filter(|line| is_frame(line)).take(2).count() == 2
        || lines
            .iter()
            .take(if is_introduced { 6 } else { 1 })
            .any(is_of_compiler)
}

/// Returns true if the line is a frame of a trace, as Java and Node write it.
fn is_frame(line: &str) -> bool {
    let call = line.trim_start().strip_prefix("at ");
    call.is_some_and(|call| call.contains(['(', ':']) && line.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests;
