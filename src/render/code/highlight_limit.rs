//! Limits of highlighting, and the note that a page shows if a text exceeds one.
//!
//! The module [`code`](super) lists the measurements that led to these limits.

use std::fmt;

use crate::paste::Language;

/// Maximum size of a text in bytes. The highlighting of a larger text would exceed every time budget.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// Maximum nesting depth. Memory use grows with the square of the depth.
pub(super) const MAX_DEPTH: usize = 256;

/// Maximum length of a line in bytes, for any language. Time and stack use grow with the length. A search within a line
/// cannot be interrupted.
pub(super) const MAX_LINE_BYTES: usize = 512;

/// Maximum number of backticks and tildes in a long Markdown line. For each of them, the grammar searches the rest of
/// the line for a matching one.
const MAX_MARKS: usize = 32;

/// Returns whether a line is too long for its language. The limit is lower for languages whose searches take longer.
pub(super) fn is_too_long(line: &str, language: Language) -> bool {
    let max = match language.name() {
        "d" | "kdl" => 128,
        "bibtex" => 256,
        "markdown" | "mdc" if line.matches(['`', '~']).count() > MAX_MARKS => 128,
        _ => MAX_LINE_BYTES,
    };
    line.len() > max
}

/// The limit at which highlighting stopped. The text after it is not highlighted, because a line's meaning depends on
/// all lines before it. For example, a comment may end in a skipped line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum HighlightLimit {
    /// The text is too large.
    TextSize,
    /// A line is too long. The field is the line number; the first line is 1.
    LineLength(usize),
    /// A line is nested too deep. The field is the line number; the first line is 1.
    Nesting(usize),
}

/// Writes the limit as a sentence for readers.
impl fmt::Display for HighlightLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TextSize => f.write_str("This text is too large for syntax highlighting."),
            Self::LineLength(line) => {
                write!(
                    f,
                    "Syntax highlighting ends at line {line}: it is too long."
                )
            }
            Self::Nesting(line) => {
                write!(
                    f,
                    "Syntax highlighting ends at line {line}: it is nested too deeply."
                )
            }
        }
    }
}
