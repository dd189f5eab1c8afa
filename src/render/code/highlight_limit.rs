//! Limits of highlighting.
//!
//! The module [`code`](super) lists the measurements that led to these limits.

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
