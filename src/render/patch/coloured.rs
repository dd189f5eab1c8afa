//! The lines of a hunk with the colours of the file's language, and with the words marked that changed.
//!
//! Invariants: each side of a hunk is highlighted as one text, so a comment or string that starts before the hunk is
//! not known. When the time is over, the lines have no further colours and marks.

use std::ops::Range;

use super::hunk::Kind;
use super::parser::Line;
use super::words::changed_words;
use crate::paste::Language;
use crate::render::code::Highlighter;
use crate::render::highlight::Span;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// A line and what is known about the parts of its code.
pub(super) struct ColouredLine<'a> {
    pub(super) line: Line<'a>,
    /// Where its code starts in the text of its side, to which the spans refer.
    pub(super) start: usize,
    pub(super) spans: &'a [Span],
    /// The parts of its code that its other version does not have.
    pub(super) marks: Vec<Range<usize>>,
}

/// Highlights both sides of a hunk: the lines of the old file, and those of the new one.
///
/// # Errors
/// If the budget is used up.
pub(super) fn highlighted(
    hunk: &[Line<'_>],
    language: Language,
    highlighter: &mut Highlighter,
    budget: &TimeBudget<'_>,
) -> Result<[Vec<Span>; 2], OutOfTime> {
    let mut side = |side: usize| {
        let lines = hunk.iter().filter(|line| line.numbers[side].is_some());
        let text: String = lines.flat_map(|line| [line.code(), "\n"]).collect();
        Ok(highlighter.highlight(&text, language, budget)?.spans)
    };
    Ok([side(0)?, side(1)?])
}

/// Connects the lines of a hunk with the spans of its sides.
pub(super) fn coloured<'a>(hunk: &[Line<'a>], spans: &'a [Vec<Span>; 2]) -> Vec<ColouredLine<'a>> {
    let mut at = [0; 2];
    let connect = |line: &Line<'a>| {
        let side = usize::from(line.kind != Kind::Removed);
        let (spans, start) = (&spans[side], at[side]);
        for (at, number) in at.iter_mut().zip(line.numbers) {
            *at += number.map_or(0, |_| line.code().len() + 1);
        }
        let first = spans.partition_point(|span| span.range.end <= start);
        let last = spans.partition_point(|span| span.range.start < at[side]);
        let spans = spans.get(first..last).unwrap_or_default();
        ColouredLine {
            line: *line,
            start,
            spans,
            marks: Vec::new(),
        }
    };
    hunk.iter().map(connect).collect()
}

/// Marks the words that changed in a group of removed and added lines. The lines of two blocks of equal length are
/// versions of each other.
///
/// # Errors
/// If the budget is used up.
pub(super) fn mark_words(
    group: &mut [ColouredLine<'_>],
    budget: &TimeBudget<'_>,
) -> Result<(), OutOfTime> {
    let is_removed = |one: &ColouredLine<'_>| one.line.kind == Kind::Removed;
    let (old, new) = group.split_at_mut(group.len() / 2);
    if old.len() == new.len() && old.iter().all(is_removed) && !new.iter().any(is_removed) {
        for (old, new) in old.iter_mut().zip(new) {
            budget.check()?;
            [old.marks, new.marks] = changed_words(old.line.code(), new.line.code());
        }
    }
    Ok(())
}
