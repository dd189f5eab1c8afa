//! Patches: a unified diff as files that fold, with the numbers of both sides and the colours of their languages.
//!
//! Each file is a `<details open>` with its name and its counts, which stand for the lines of its header: those are
//! hidden. Its lines are a listing, in which a removed line is `<del id="L7">` and an added one `<ins id="L8">`, with
//! changed words in `<b>`. The style sheet draws the numbers of the old and the new file from `data-o` and `data-n`, so
//! selected and copied lines contain only their text, with its sign. Beside each other, changed and unchanged lines are
//! in `<span class="pair">`, and each unchanged line is followed by an inert copy of it.
//! Git, Mercurial, Subversion and `diff -u` are understood, and the messages of `git format-patch` and `git log`. Other
//! formats have no hunks and stay listings.
//! Invariants: the lines are those of the text, all of them and in their order, and line `n` has the id `Ln`. A hunk
//! has no more lines than its header says: further lines are shown as text, and the page says so.
//! Cost: 10 ns per byte and 150 ns per line, and that of highlighting both sides. A line takes at most 150 bytes in
//! addition to its text, its spans and 7 bytes per changed word, and a file 600 in addition to its names. Beside each
//! other, unchanged lines count twice.

mod coloured;
mod file;
mod hunk;
mod names;
mod parser;
mod words;
mod writer;

use self::writer::Writer;
use crate::paste::Language;
use crate::render::code::Highlighter;
use crate::render::listing::size_hint;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Maximum bytes of a patch whose sides are shown beside each other, because unchanged lines count twice.
const MAX_SPLIT: usize = 1024 * 1024;

/// A rendered patch.
pub(crate) struct Patch {
    pub(crate) html: String,
    /// The largest number that stands before a line.
    pub(crate) last_number: usize,
    /// Whether both sides stand beside each other.
    pub(crate) is_split: bool,
    /// A sentence about a hunk that differs from its header.
    pub(in crate::render) note: Option<String>,
    /// Whether the time was too short for all colours and marks.
    pub(in crate::render) is_late: bool,
}

/// Renders a patch. Returns `None` if the text has no hunk of a unified diff. If the language is `None`, the names of
/// the files tell it.
///
/// # Errors
/// If the budget is used up while the patch is parsed, or the patch has too many files.
pub(super) fn patch(
    text: &str,
    language: Option<Language>,
    is_split: bool,
    budget: TimeBudget<'_>,
) -> Result<Option<Patch>, OutOfTime> {
    let parsed = parser::parse(text, &budget)?;
    let Some(last_number) = parsed.last_number else {
        return Ok(None);
    };
    let mut writer = Writer {
        html: String::with_capacity(size_hint(text, 0)),
        is_split: is_split && text.len() <= MAX_SPLIT,
        language,
        budget,
        is_late: false,
        highlighter: Highlighter::default(),
        lines: 0,
    };
    writer.write(&parsed).expect("a string takes everything");
    let malformed = |line| {
        format!(
            "This patch is malformed or cut off: line {line} does not fit the header of its hunk."
        )
    };
    Ok(Some(Patch {
        html: writer.html,
        last_number: last_number as usize,
        is_split: writer.is_split,
        is_late: writer.is_late,
        note: parsed.fault.map(malformed),
    }))
}

#[cfg(test)]
mod tests;
