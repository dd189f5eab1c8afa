//! Pages: a plain value in, a whole HTML document out.
//!
//! What it must not know: HTTP, the store, the clock, the environment. Ages and dates come in as values.
//! Invariants: everything a user wrote is escaped where it is written: by askama's escaper in the templates, and by
//! `escape` in the renderers, which write HTML of their own. No page holds an inline style, script or event handler or
//! names another host's resource, so that the strictest policy fits. Every page is complete without its script.
//! Cost: a page is written into one string reserved beforehand; content is never copied in between. A page of a paste
//! is at most 5 times the shown content (an apostrophe, say, becomes five bytes), 120 bytes a line, 30 bytes a coloured
//! part, and 6 KiB; a document at most 12 times its text and 68 KiB.

mod allowance;
mod asset;
mod card;
mod chart;
mod closed_page;
mod code;
mod coded_page;
mod editor_page;
mod escape;
mod excerpt;
mod help_page;
mod hex;
mod link_page;
mod listing;
mod markdown;
mod marks;
mod math;
mod message_page;
mod odd;
mod page_cache;
mod paint;
mod paste_page;
mod purpose;
mod qr;
mod rendered;
mod shape;
mod standing;
mod stats_page;
mod terminal;
mod token_page;
mod words;

pub use allowance::Allowance;
pub use asset::{Asset, FAVICON, SCRIPT, STYLE, asset, assets};
pub use closed_page::{ClosedPage, closed};
pub use coded_page::Format;
pub use editor_page::{EditorPage, Start, editor};
pub use help_page::{HelpPage, help, help_text};
pub use link_page::{LinkPage, link, link_text};
pub use message_page::{MessagePage, message};
pub use page_cache::PageCache;
pub use paste_page::{PastePage, coded_paste, paste};
pub use purpose::Purpose;
pub use qr::qr;
pub use rendered::Rendered;
pub use shape::{Shape, View};
pub use standing::Standing;
pub use stats_page::{StatsPage, stats, stats_text};
pub use token_page::{TokenPage, ask_token};

use askama::Template;

/// The template, written into a string that has room for `content` bytes beside the template's own text.
fn write(template: &impl Template, content: usize) -> String {
    /// The layout and the words of any page.
    const FRAME: usize = 6 * 1024;
    let mut page = String::with_capacity(FRAME + content);
    template
        .render_into(&mut page)
        .expect("a string takes everything, and no template fails by itself");
    page
}

#[cfg(test)]
mod tests;
