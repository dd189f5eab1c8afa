//! Divides a patch into files and the text around them, and finds the kind of each line.
//!
//! Invariants: the sections are in the order of the text, and each line of the text is in exactly one of them. A line
//! that does not certainly belong to a file is text, so no line is lost.

use super::file::{File, Stage, is_start};
use super::hunk::{Hunk, Kind, Numbers};
use crate::render::time_budget::{OutOfTime, TimeBudget};
use crate::render::unsafe_char::without_cr;

/// Maximum number of files. More of them make browsers slow.
const MOST_FILES: usize = 1000;

/// A line of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// The line without its line end.
    pub(super) text: &'t str,
    pub(super) has_line_feed: bool,
    pub(super) kind: Kind,
    pub(super) numbers: Numbers,
}

/// Some lines: those of a file, or text before, between and after files.
#[derive(Debug, Default)]
pub(super) struct Section<'t> {
    pub(super) file: Option<File<'t>>,
    pub(super) lines: Vec<Line<'t>>,
}

/// A patch, or the start of one that is parsed.
#[derive(Default)]
pub(super) struct Parsed<'t> {
    /// All sections except for the last one.
    pub(super) sections: Vec<Section<'t>>,
    last: Section<'t>,
    /// The hunk of the last line, if more of its lines may follow.
    hunk: Option<Hunk>,
    pub(super) files: usize,
    lines: usize,
    /// The largest line number of the hunks. `None` if there is no hunk.
    pub(super) last_number: Option<u32>,
    /// The number of the first line that a hunk should have or should not have, by its header.
    pub(super) fault: Option<usize>,
}

/// Parses a patch.
///
/// # Errors
/// If the budget is used up, or the patch has more than [`MOST_FILES`] files.
pub(super) fn parse<'t>(text: &'t str, budget: &TimeBudget<'_>) -> Result<Parsed<'t>, OutOfTime> {
    let mut parsed = Parsed::default();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if parsed.lines.is_multiple_of(64) {
            budget.check()?;
        }
        let ended = line.strip_suffix('\n');
        let text = ended.map_or(line, without_cr);
        let has_names =
            text.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        let (kind, numbers) = match parsed.in_hunk(text) {
            Some(found) => found,
            None => (parsed.outside(text, has_names), [None; 2]),
        };
        let has_line_feed = ended.is_some();
        parsed.last.lines.push(Line {
            text,
            has_line_feed,
            kind,
            numbers,
        });
        parsed.lines += 1;
        if parsed.files > MOST_FILES {
            return Err(OutOfTime);
        }
    }
    if parsed.hunk.take().is_some_and(|hunk| !hunk.is_complete()) {
        parsed.fault.get_or_insert(parsed.lines + 1);
    }
    parsed.start(None);
    Ok(parsed)
}

impl<'t> Parsed<'t> {
    /// Takes the next line of a hunk. Returns `None` if this is not a line of one.
    fn in_hunk(&mut self, line: &str) -> Option<(Kind, Numbers)> {
        let taken = self.hunk.as_mut()?.take(line);
        if taken.is_none() {
            let has_more = line.starts_with(['+', '-']) && !line.starts_with("--");
            if has_more || !self.hunk.take()?.is_complete() {
                self.fault.get_or_insert(self.lines + 1);
                self.set_stage(Stage::Rest);
            }
            self.hunk = None;
        }
        taken
    }

    /// Finds the kind of a line outside of hunks, and starts the section to which it belongs.
    fn outside(&mut self, line: &'t str, has_names: bool) -> Kind {
        let taken = self
            .last
            .file
            .as_mut()
            .and_then(|file| file.take(line, has_names));
        if let Some(kind) = taken {
            return kind;
        }
        if has_names || is_start(line) {
            let mut file = File::default();
            let kind = file.read(line);
            self.start(Some(file));
            return kind.unwrap_or(Kind::Text);
        }
        let Some(hunk) = Hunk::parse(line) else {
            if self.last.file.is_some() {
                self.start(None);
            }
            return Kind::Text;
        };
        // A text may have hunks alone, of a file without a name.
        if self.last.file.is_none() {
            self.start(Some(File::default()));
        }
        self.set_stage(Stage::Hunks);
        self.last_number = self.last_number.max(Some(hunk.last_number()));
        self.hunk = Some(hunk);
        Kind::Hunk
    }

    fn set_stage(&mut self, stage: Stage) {
        if let Some(file) = &mut self.last.file {
            file.stage = stage;
        }
    }

    fn start(&mut self, file: Option<File<'t>>) {
        self.files += usize::from(file.is_some());
        let lines = Vec::new();
        let last = std::mem::replace(&mut self.last, Section { file, lines });
        if !last.lines.is_empty() {
            self.sections.push(last);
        }
    }
}

impl<'t> Line<'t> {
    /// Returns whether this is a line of a file, so that it has a number.
    pub(super) fn is_code(&self) -> bool {
        self.numbers != [None; 2]
    }

    /// Returns the line without its sign.
    pub(super) fn code(&self) -> &'t str {
        self.text.get(1..).unwrap_or_default()
    }
}
