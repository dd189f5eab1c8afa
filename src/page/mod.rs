//! Pages: turns a plain value into a whole HTML document.
//!
//! What it must not know: HTTP, the store, the clock, the environment. Ages and dates come in as values.
//! Invariants: everything that a user wrote is escaped where it is written: by askama in the templates, by `render` in
//! its fragments. No page contains an inline style, script or event handler or names a resource of another host, so the
//! strictest Content-Security-Policy fits. Every page works without its script.
//! Cost: a page is written into one string of reserved capacity; fragments are copied once. A paste's page is its
//! fragment and at most 6 KiB.

mod asset;
mod editor_page;
mod help_page;
mod humanize;
mod link_page;
mod message_page;
mod paste_page;
mod protected_page;
mod qr;
mod stats_page;
mod template;
mod token_page;

pub use asset::{Asset, FAVICON, SCRIPT, STYLE, asset, assets};
pub use editor_page::{EditorMode, EditorPage, Prefill, editor};
pub use help_page::{HelpPage, help, help_text};
pub use link_page::{LinkPage, link, link_text};
pub use message_page::{MessagePage, message};
pub use paste_page::{Availability, PastePage, compressed_paste, paste};
pub use protected_page::{ProtectedPage, protected};
pub use qr::qr;
pub use stats_page::{StatsPage, stats, stats_text};
pub use token_page::{TokenPage, ask_token};

#[cfg(test)]
mod tests;
