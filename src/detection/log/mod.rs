//! Logs: the time and the level that a line of a log states, in the forms that programs and libraries commonly write.
//!
//! Invariants: a level is returned only where a line states one, such as in capitals or in brackets. A word like
//! "error" in a message is none. The first level of a line counts.
//! Cost: one pass over the first [`WITHIN`] bytes of a line, or the first [`JSON_WITHIN`] of a line of JSON.

mod level;
mod output;
mod time;

use std::ops::Range;

pub use level::LogLevel;
pub(super) use output::{is_output, reports};
pub(super) use time::MONTHS;

/// The bytes at the start of a line that are searched for its level.
const WITHIN: usize = 256;
const JSON_WITHIN: usize = 4096;

/// The least number of lines with a time or a level, by which a text is recognised as a log.
const LEAST: usize = 3;

/// The most bytes of a time without a date: ` 12:00:00.123456`.
const CLOCK: usize = 16;

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
    // Containers put their name before each line.
    let named = |line: &&str| {
        line.split_once(" | ")
            .is_some_and(|(name, _)| !name.trim_end().contains(' '))
    };
    let starts = match lines.iter().all(named) {
        true => lines
            .iter()
            .map(|line| &line[line.find(" | ").map_or(0, |at| at + 3)..])
            .collect(),
        false => lines.to_vec(),
    };
    for (at, line) in starts.iter().enumerate() {
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let read = LogLine::of(line);
        let is_first = line.starts_with(TRACEBACK)
            || starts.get(at + 1).is_some_and(|it| output::is_frame(it));
        let is_last = std::mem::replace(&mut is_within_trace, is_first);
        // A comment, a banner, or what the journal explains.
        let is_beside = line.starts_with(['#', '░']) || !line.contains(char::is_alphanumeric);
        if !read.is_certain(line) && (is_first || is_last || is_beside) {
            continue;
        }
        heads += 1;
        certain += usize::from(read.is_certain(line));
        levels += usize::from(read.level.is_some());
        let is_dated = |time: &Range<usize>| time.start <= 1 && time.len() > CLOCK;
        let has_date = lines.len() > 1 && read.time.as_ref().is_some_and(is_dated);
        let has_more = has_date || read.level.is_some() || line.contains(" HTTP/");
        full += usize::from(has_more && read.time.is_some() && read.is_certain(line));
    }
    let is_enough = certain >= LEAST || full > 0 && full == heads;
    is_enough && certain * 4 >= heads * 3 && (levels * 2 >= heads || !is_table)
}

/// The first line of a trace of Python.
const TRACEBACK: &str = "Traceback (most recent call last)";

#[cfg(test)]
mod tests;
