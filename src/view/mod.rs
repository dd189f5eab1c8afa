//! Pages: a plain value in, a whole HTML document out.
//!
//! What it must not know: HTTP, the store, the clock, the environment. Ages and dates come in as values.
//! Invariants: everything a user wrote is escaped where it is written: by askama's escaper in the templates, and in
//! the one place that writes HTML of its own, `listing`. No page holds an inline style, script or event handler or
//! names another host's resource, so that the strictest policy fits. Every page is complete without its script.
//! Cost: a page is written into one string reserved beforehand; content is never copied in between. A page of a paste
//! is at most 5 times the shown content (an apostrophe, say, becomes five bytes), 90 bytes a line, and 4 KiB.

mod asset;
mod editor_page;
mod help_page;
mod message_page;
mod odd;

pub use asset::{Asset, FAVICON, asset};
pub use editor_page::{EditorPage, editor};
pub use help_page::{HelpPage, help, help_text};
pub use message_page::{MessagePage, message};

use askama::Template;

/// The template, written into a string that has room for `content` bytes beside the template's own text.
fn write(template: &impl Template, content: usize) -> String {
    /// The layout and the words of any page.
    const FRAME: usize = 4 * 1024;
    let mut page = String::with_capacity(FRAME + content);
    template
        .render_into(&mut page)
        .expect("a string takes everything, and no template fails by itself");
    page
}
