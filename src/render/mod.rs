//! Rendering: a paste's content in, a fragment of HTML out: code, Markdown, formulas, terminal output, bytes.
//!
//! What it must not know: HTTP, the store, the clock, the environment, the page around the fragment.
//! Invariants: everything that a user wrote is escaped where it is written. No fragment holds an inline style, script or
//! event handler, or names a resource of another host. A render stops when its time budget is used up.
//! Cost: a listing is at most 5 times the shown content (an apostrophe, for example, becomes five bytes), 120 bytes a
//! line and 30 bytes a coloured part; a document is at most 12 times its text and 68 KiB.

pub(crate) mod card;
mod code;
pub(crate) mod compressed_template;
pub(crate) mod escape;
pub(crate) mod excerpt;
mod hex;
pub(crate) mod humanize;
pub(crate) mod listing;
mod markdown;
pub(crate) mod marks;
mod math;
pub(crate) mod odd;
mod page_cache;
mod paint;
pub(crate) mod render_key;
pub(crate) mod rendered;
mod terminal;
pub(crate) mod time_budget;

pub use compressed_template::ContentCoding;
pub use page_cache::PageCache;
pub use render_key::{RenderKey, View};
pub use rendered::Rendered;
pub use time_budget::TimeBudget;

#[cfg(test)]
pub(crate) mod tests;
