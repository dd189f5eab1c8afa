//! Events: which lines of a log belong together.

use crate::detection::{LogLevel, LogLine};

/// How lines continue an event without an indent.
const CONTINUATIONS: [&str; 5] = ["Caused by", "Suppressed: ", "Traceback ", "... ", "}"];

/// The event to which the last line belongs.
#[derive(Debug, Default)]
pub(super) struct Event {
    has_started: bool,
    pub(super) level: Option<LogLevel>,
    /// Whether the event has a time. Then each line without time and level continues it.
    is_timed: bool,
    /// Whether the last line is of a trace of Python, which ends with the first line that is not indented.
    is_in_trace: bool,
}

impl Event {
    /// Takes the next line. Returns whether it begins an event.
    pub(super) fn begins_at(&mut self, line: &str, read: &LogLine) -> bool {
        let begins = !self.has_started || self.is_ended_by(line, read);
        if begins {
            self.has_started = true;
            self.level = read.level.as_ref().map(|(level, _)| *level);
            self.is_timed = read.time.is_some();
        }
        let is_in_trace = self.is_in_trace && is_indented(line);
        self.is_in_trace = is_in_trace || line.starts_with("Traceback ");
        begins
    }

    fn is_ended_by(&self, line: &str, read: &LogLine) -> bool {
        let continues =
            is_indented(line) || CONTINUATIONS.iter().any(|start| line.starts_with(start));
        match &read.level {
            _ if read.time.is_some() => true,
            // A failure that a program reported itself belongs to that report.
            Some((_, at)) if at.is_empty() => self.level < Some(LogLevel::Warning),
            Some(_) => !continues,
            None => !(continues || self.is_timed || self.is_in_trace || is_source(line)),
        }
    }
}

/// Returns whether a line is indented, by more than a level that is aligned to the right.
fn is_indented(line: &str) -> bool {
    line.starts_with(['\t', '\r', '\n']) || line.starts_with("  ")
}

/// Returns whether a line is one of source code, with its number, as compilers show it.
fn is_source(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(" |")
}
