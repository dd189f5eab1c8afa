//! Pages: a plain value in, a whole HTML document out.
//!
//! What it must not know: HTTP, the store, the clock, the environment. Ages and dates come in as values.
//! Invariants: everything a user wrote is escaped where it is written: by askama's escaper in the templates, and by
//! `escape` in the renderers, which write HTML of their own. No page holds an inline style, script or event handler or
//! names another host's resource, so that the strictest policy fits. Every page is complete without its script.
//! Cost: a page is written into one string reserved beforehand; content is never copied in between. A page of a paste
//! is at most 5 times the shown content (an apostrophe, say, becomes five bytes), 120 bytes a line, 30 bytes a coloured
//! part, and 6 KiB; a document at most 12 times its text and 68 KiB.

mod asset;
mod availability;
mod chart;
mod editor_mode;
mod editor_page;
mod help_page;
mod link_page;
mod message_page;
mod paste_page;
mod protected_page;
mod qr;

mod stats_page;
mod token_page;

pub use asset::{Asset, FAVICON, SCRIPT, STYLE, asset, assets};
pub use availability::Availability;
pub use editor_mode::EditorMode;
pub use editor_page::{EditorPage, Prefill, editor};
pub use help_page::{HelpPage, help, help_text};
pub use link_page::{LinkPage, link, link_text};
pub use message_page::{MessagePage, message};
pub use paste_page::{PastePage, compressed_paste, paste};
pub use protected_page::{ProtectedPage, protected};
pub use qr::qr;
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
