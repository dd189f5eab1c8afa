//! Rendering: turns a paste's content into an HTML fragment. The content is code, Markdown, formulas, a patch, a table,
//! JSON, a log, terminal output or bytes.
//!
//! This module must not know HTTP, the store, the clock, the environment or the page around the fragment.
//! Invariants: text of users is escaped where it is written. No fragment contains an inline style, script or event
//! handler. No fragment loads a resource from another host. A renderer stops when its time budget is used up.
//! Cost: the size of a listing is at most 5 times the shown content, plus 60 bytes per line and 30 bytes per span (100
//! in a terminal). For example, an apostrophe becomes five bytes. A link has its text twice, plus 60 bytes. A document
//! is at most 12 times its text, plus 130 KiB. A patch is at most 5 times its text, plus 150 bytes per line, 30 per span
//! and 7 per changed word, and per file 600 bytes and ten times the name; in two columns, unchanged lines count twice. A
//! table is at most 5 times its text, plus 64 bytes per row and 24 per cell, and JSON 5 times its text, plus 600 bytes
//! per line.

mod autolink;
mod code;
mod comparison;
mod escape;
mod excerpt;
mod fragment;
mod hex_view;
mod highlight;
mod humanize;
mod json;
mod link_preview;
mod listing;
mod log;
mod markdown;
mod math;
mod patch;
mod render_key;
mod rendered;
mod table;
mod terminal;
mod time_budget;
mod unsafe_char;

pub(crate) use comparison::changed_lines;
pub use comparison::{ComparedText, unified_diff};
pub use render_key::{RenderKey, View};
pub use rendered::Rendered;
pub use time_budget::TimeBudget;

pub(crate) use excerpt::Excerpt;
pub(crate) use fragment::{BUSY, Body, Fragment, ShownFile};
pub(crate) use humanize::{count, number, size};
pub(crate) use link_preview::{name_of as name_of_text, of_text as beginning};
pub(crate) use listing::highlight_lines;
pub(crate) use unsafe_char::{is_plain, visible, without_bom};

#[cfg(test)]
mod tests;
