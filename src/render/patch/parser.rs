//! Divides a patch into files and the text around them, and finds the kind of each line.
//!
//! Invariants: the sections are in the order of the text, and each line of the text is in exactly one of them. A line
//! that does not certainly belong to a file is text, so no line is lost.

use std::iter::Peekable;
use std::ops::Range;

use super::file::{File, Stage, is_start};
use super::hunk::{Hunk, Kind};
use crate::render::time_budget::{OutOfTime, TimeBudget};
use crate::render::unsafe_char::without_cr;

/// Maximum number of files. More of them make browsers slow.
const MOST_FILES: usize = 1000;

/// A line of the text, with its line feed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) kind: Kind,
}

/// Some lines: those of a file, or text before, between and after files.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub(super) file: Option<File<'t>>,
    pub(super) lines: Range<usize>,
}

/// The parsed patch.
#[derive(Debug, Default)]
pub(super) struct Sections<'t> {
    pub(super) lines: Vec<Line<'t>>,
    pub(super) sections: Vec<Section<'t>>,
    pub(super) files: usize,
    /// The largest line number of a hunk.
    pub(super) last_number: u32,
    /// The number of the first line that a hunk should have or should not have, by its header.
    pub(super) fault: Option<usize>,
    has_hunks: bool,
}

/// Parses a patch. Returns `None` if the text has no hunk.
///
/// # Errors
/// If the budget is used up, or the patch has more than [`MOST_FILES`] files.
pub(super) fn parse<'t>(
    text: &'t str,
    budget: &TimeBudget<'_>,
) -> Result<Option<Sections<'t>>, OutOfTime> {
    let mut parsed = Sections::default();
    let mut hunk = None;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if parsed.lines.len().is_multiple_of(64) {
            budget.check()?;
        }
        parsed.read(line, &mut hunk, &mut lines);
        if parsed.files > MOST_FILES {
            return Err(OutOfTime);
        }
    }
    if hunk.is_some_and(|hunk| !hunk.is_complete()) {
        parsed.fault_after_last();
    }
    Ok(parsed.has_hunks.then_some(parsed))
}

impl<'t> Sections<'t> {
    fn read(
        &mut self,
        text: &'t str,
        hunk: &mut Option<Hunk>,
        rest: &mut Peekable<impl Iterator<Item = &'t str>>,
    ) {
        let line = without_cr(text.strip_suffix('\n').unwrap_or(text));
        if let Some(open) = hunk {
            if let Some(kind) = open.take(line) {
                return self.push(text, kind);
            }
            let has_more = line.starts_with(['+', '-']) && !line.starts_with("--");
            if !open.is_complete() || has_more {
                self.fault_after_last();
                self.set_stage(Stage::Faulty);
            }
            *hunk = None;
        }
        let has_names =
            line.starts_with("--- ") && rest.peek().is_some_and(|next| next.starts_with("+++ "));
        if let Some(file) = self.file()
            && file.takes(line, has_names)
        {
            return self.push(text, Kind::Header);
        }
        if has_names || is_start(line) {
            self.start_file(File::starting_with(line));
            return self.push(text, Kind::Header);
        }
        if let Some(found) = Hunk::parse(line) {
            return self.start_hunk(text, hunk.insert(found));
        }
        if self.file().is_some() || self.sections.is_empty() {
            self.start(None);
        }
        self.push(text, Kind::Text);
    }

    /// Returns the file to which the last line belongs.
    fn file(&mut self) -> Option<&mut File<'t>> {
        self.sections.last_mut()?.file.as_mut()
    }

    fn start(&mut self, file: Option<File<'t>>) {
        let at = self.lines.len();
        let lines = at..at;
        self.sections.push(Section { file, lines });
    }

    fn start_file(&mut self, file: File<'t>) {
        self.files += 1;
        self.start(Some(file));
    }

    /// Starts a hunk. A text may have hunks alone, of a file without a name.
    fn start_hunk(&mut self, text: &'t str, hunk: &Hunk) {
        self.last_number = self.last_number.max(hunk.last_number());
        self.has_hunks = true;
        if self.file().is_none() {
            self.start_file(File::default());
        }
        self.set_stage(Stage::Hunks);
        self.push(text, Kind::Hunk);
    }

    fn set_stage(&mut self, stage: Stage) {
        if let Some(file) = self.file() {
            file.stage = stage;
        }
    }

    fn push(&mut self, text: &'t str, kind: Kind) {
        self.lines.push(Line { text, kind });
        let end = self.lines.len();
        if let Some(section) = self.sections.last_mut() {
            section.lines.end = end;
            if let Some(file) = &mut section.file {
                file.added += usize::from(matches!(kind, Kind::Added(Some(_))));
                file.removed += usize::from(matches!(kind, Kind::Removed(Some(_))));
            }
        }
    }

    /// Notes that the line after the last one is not as the header of its hunk says.
    fn fault_after_last(&mut self) {
        self.fault.get_or_insert(self.lines.len() + 1);
    }
}
