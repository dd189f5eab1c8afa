//! Limits of a Markdown document.

/// Maximum size in bytes of a text that is rendered as Markdown. The parser cannot be interrupted within a paragraph.
/// The parser took 140 ms for a text of brackets twice this size.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// Maximum nesting depth of elements. Documents written by people stay far below this limit.
pub(super) const MAX_DEPTH: usize = 100;
/// Maximum number of columns of a table. The parser adds the missing cells of short rows, so wide tables multiply the
/// output.
pub(super) const MAX_COLUMNS: usize = 100;
/// Maximum bytes of HTML per byte of a document's text. [`SPARE_OUTPUT`] more bytes are allowed.
pub(super) const MAX_GROWTH: usize = 12;
/// Bytes of HTML that any document may have in addition to [`MAX_GROWTH`].
pub(super) const SPARE_OUTPUT: usize = 64 * 1024;
/// The number of parser events between two checks of the time budget. A check costs more than a usual event.
pub(super) const EVENTS_PER_CHECK: usize = 32;
