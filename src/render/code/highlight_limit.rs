//! Limits of highlighting, and the note for a text that exceeds one.
//!
//! [`code`](super) has the measurements behind them.

use std::fmt;

use crate::paste::Language;

/// Largest text in bytes. Larger ones would not finish within any budget.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// Deepest nesting. Memory grows with its square.
pub(super) const MAX_DEPTH: usize = 256;

/// Longest line in bytes, in any language. Time and stack use grow with the length, and a search cannot be interrupted.
pub(super) const MAX_LINE_BYTES: usize = 512;

/// Most backticks and tildes of a long Markdown line. From each, the grammar searches the rest of the line for another.
const MAX_MARKS: usize = 32;

/// Returns whether a line is too long for its language. Where a search takes longer than elsewhere, the limit is lower.
pub(super) fn is_too_long(line: &str, language: Language) -> bool {
    let max = match language.name() {
        "d" | "kdl" => 128,
        "bibtex" => 256,
        "markdown" | "mdc" if line.matches(['`', '~']).count() > MAX_MARKS => 128,
        _ => MAX_LINE_BYTES,
    };
    line.len() > max
}

/// The limit at which highlighting stopped. Nothing after it is highlighted: a line's meaning depends on all lines
/// before it, such as a comment that ends in a skipped line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum HighlightLimit {
    /// The text is too large.
    TextSize,
    /// This line is too long; the first is 1.
    LineLength(usize),
    /// This line is nested too deep; the first is 1.
    Nesting(usize),
}

/// A sentence for readers.
impl fmt::Display for HighlightLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TextSize => f.write_str("This text is too large to be shown in colours."),
            Self::LineLength(line) => write!(f, "Colours end at line {line}: it is too long."),
            Self::Nesting(line) => write!(f, "Colours end at line {line}: it is nested too deep."),
        }
    }
}
