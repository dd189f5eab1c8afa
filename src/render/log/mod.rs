//! Logs: a listing whose lines carry the level of their event.
//!
//! An event is a line with a time or a level, and the lines after it that continue it, such as a stack trace. The first
//! line of an event has `data-l=e`, the first letter of its level; the others have `data-l=e+`. A line of an event
//! without a level has no such attribute, or `data-l=+`. The style sheet and the script of logs use them. The time and
//! the level of a line have the shortest tags, `<u>` and `<b>`, because a log has many.
//! Invariants: the lines are those of the text, all of them and in their order, and line `n` has the id `Ln`.
//! Cost: 2 ns per byte of the start of a line, and 150 ns per line. A line takes at most 80 bytes in addition to its
//! text.

mod event;

use self::event::Event;
use crate::detection::{LogLevel, LogLine};
use crate::render::autolink::{MOST, links};
use crate::render::highlight::{Highlight, Span};
use crate::render::humanize;
use crate::render::listing::{end, size_hint, write_line};
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// A rendered log.
pub(crate) struct Log {
    /// The lines.
    pub(crate) html: String,
    /// The number of events of each level.
    pub(crate) counts: [usize; 4],
}

impl Log {
    pub(crate) fn has_errors(&self) -> bool {
        self.counts[LogLevel::Error as usize] > 0
    }

    /// Returns the levels to which a reader may narrow the log, the worst first: the name and the number of events.
    pub(crate) fn levels(&self) -> Vec<(&'static str, String)> {
        let [_, infos, warnings, errors] = self.counts;
        let levels = [
            ("error", errors, humanize::count(errors, "error")),
            ("warning", warnings, humanize::count(warnings, "warning")),
            ("info", infos, humanize::number(infos) + " info"),
        ];
        let known = levels.into_iter().filter(|(_, count, _)| *count > 0);
        known.map(|(name, _, label)| (name, label)).collect()
    }
}

/// Renders a log.
///
/// # Errors
/// Returns [`OutOfTime`] if the budget is used up.
pub(super) fn log(text: &str, budget: TimeBudget<'_>) -> Result<Log, OutOfTime> {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let mut log = Log {
        html: String::with_capacity(size_hint(text, lines)),
        counts: [0; 4],
    };
    let (mut event, mut links) = (Event::default(), MOST);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        budget.check()?;
        let read = LogLine::of(line);
        let is_first = event.begins_at(line, &read);
        let level = event.level;
        if let Some(level) = level.filter(|_| is_first) {
            log.counts[level as usize] += 1;
        }
        let attribute = attribute(level, is_first);
        let (spans, html) = (spans(line, read, &mut links), &mut log.html);
        write_line(number, attribute, line, 0, &spans, html).expect("a string takes everything");
    }
    end(&mut log.html);
    Ok(log)
}

/// Returns the attribute of a line.
fn attribute(level: Option<LogLevel>, is_first: bool) -> &'static str {
    match (level, is_first) {
        (None, true) => "",
        (None, false) => " data-l=+",
        (Some(LogLevel::Debug), true) => " data-l=d",
        (Some(LogLevel::Debug), false) => " data-l=d+",
        (Some(LogLevel::Info), true) => " data-l=i",
        (Some(LogLevel::Info), false) => " data-l=i+",
        (Some(LogLevel::Warning), true) => " data-l=w",
        (Some(LogLevel::Warning), false) => " data-l=w+",
        (Some(LogLevel::Error), true) => " data-l=e",
        (Some(LogLevel::Error), false) => " data-l=e+",
    }
}

/// Returns the spans of a line in their order: its time, its level, and at most so many links.
fn spans(text: &str, line: LogLine, most: &mut usize) -> Vec<Span> {
    let time = line.time.map(|range| (range, Highlight::Bare("u")));
    let level = line.level.map(|(_, range)| (range, Highlight::Bare("b")));
    let span = |(range, highlight)| Span { range, highlight };
    let mut spans: Vec<Span> = time.into_iter().chain(level).map(span).collect();
    let is_apart = |link: &Span| {
        let mut known = spans.iter().map(|span| &span.range);
        known.all(|range| range.end <= link.range.start || link.range.end <= range.start)
    };
    let links: Vec<Span> = links(text).filter(is_apart).take(*most).collect();
    *most -= links.len();
    spans.extend(links);
    spans.sort_unstable_by_key(|span| span.range.start);
    spans
}

#[cfg(test)]
mod tests;
