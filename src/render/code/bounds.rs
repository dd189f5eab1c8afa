//! Bounds: what is too much to be coloured, and what a reader is told of it.
//!
//! What it must not know: the tokenizer. The figures behind the bounds are with [`code`](super).

use std::fmt;

use crate::paste::Language;

/// Larger texts are not begun: they would not be done within any allowance.
pub(super) const MOST_BYTES: usize = 1024 * 1024;

/// Colours end before what is nested deeper: memory grows with the square of the depth.
pub(super) const DEEPEST: usize = 256;

/// Lines of no language may be longer: time and stack grow with a line's length, and no search is stopped halfway.
pub(super) const LONGEST_LINE: usize = 512;

/// Marks of Markdown in a line of any length: from each, its like is sought in all of the rest.
const MOST_MARKS: usize = 32;

/// Whether colours end before this line. Where a search takes longer than elsewhere, lines may be less long.
pub(super) fn is_too_long(line: &str, language: Language) -> bool {
    let longest = match language.name() {
        "d" | "kdl" => 128,
        "bibtex" => 256,
        "markdown" | "mdc" if line.matches(['`', '~']).count() > MOST_MARKS => 128,
        _ => LONGEST_LINE,
    };
    line.len() > longest
}

/// What ended the colours before the text did. Nothing is coloured from there on: what a line means hangs on all lines
/// before it, as in a comment that ends in a line that was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// There are none.
    Size,
    /// This line is too long; the first is 1.
    Length(usize),
    /// This line is nested too deep; the first is 1.
    Depth(usize),
}

/// A sentence for the reader of the page.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str("This text is too large to be shown in colours."),
            Self::Length(line) => write!(f, "Colours end at line {line}: it is too long."),
            Self::Depth(line) => write!(f, "Colours end at line {line}: it is nested too deep."),
        }
    }
}
