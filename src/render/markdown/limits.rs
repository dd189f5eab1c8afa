//! Limits of a document.

/// Largest text in bytes that is read as Markdown. The parser cannot be interrupted within a paragraph, and a text of
/// brackets twice this size took it 140 ms.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// Deepest nesting of elements. Documents by people stay far below.
pub(super) const MAX_DEPTH: usize = 100;
/// Most columns of a table. The parser fills up short rows, so wide tables multiply the output.
pub(super) const MAX_COLUMNS: usize = 100;
/// A document's HTML has at most this many times the bytes of its text, and [`SPARE_OUTPUT`] more.
pub(super) const MAX_GROWTH: usize = 12;
/// Bytes of HTML that a document may have in addition to [`MAX_GROWTH`].
pub(super) const SPARE_OUTPUT: usize = 64 * 1024;

/// Parser events between two checks of the time budget. A check costs more than a usual event.
pub(super) const EVENTS_PER_CHECK: usize = 32;
