//! Pages: each page turns plain values into a whole HTML document.
//!
//! This module must not know HTTP, the store, the clock or the environment. Callers pass ages and dates.
//! Invariants: text of users is escaped where it is written. Askama, the template engine, escapes it in the templates;
//! `render` escapes it in its HTML fragments. No page contains an inline style, script or event handler. No page loads
//! a resource from another host. So pages work with the strictest Content-Security-Policy. Every page works without its
//! script.
//! Cost: a page is written into one string of reserved capacity, and a rendered fragment is copied once. The page of a
//! paste is at most 6 KiB larger than the fragment.
#![allow(
    missing_debug_implementations,
    reason = "pages have ids and text of users, which must not be logged"
)]

mod api_page;
mod asset;
mod coding;
mod diff_page;
mod editor_page;
mod files;
mod gate;
mod help_page;
mod humanize;
mod link_page;
mod message_page;
mod mine_page;
mod moderation_page;
mod name;
mod page_cache;
mod paste_facts;
mod paste_page;
mod protected_page;
mod qr;
mod sealed_page;
mod site;
mod stats_page;
mod template;

pub(crate) use api_page::{ApiPage, Problem};
pub(crate) use asset::{
    ASK, CARD_STYLE, CHANGE, DATA_STYLE, DOCUMENT_STYLE, EDITOR, EDITOR_STYLE, FAVICON, FILES,
    LANGUAGES, LINES, LOG_SCRIPT, LOG_STYLE, MINE, MINE_STYLE, OPERATE_STYLE, PATCH_STYLE,
    QR_SCRIPT, SCRIPT, SEALED, SECRETS, TABLE_SCRIPT, TERMINAL_STYLE, asset,
};
pub use asset::{Asset, STYLE};
pub use coding::Coding;
pub(crate) use diff_page::{ComparePage, DiffPage, DiffSide, diff};
pub(crate) use editor_page::AskPage;
pub use editor_page::{EditedPaste, EditorPage, Prefill, editor};
pub(crate) use files::{named, path as file_path, render};
pub(crate) use gate::{LoginPage, TokenPage};
pub(crate) use help_page::HelpPage;
pub(crate) use link_page::LinkPage;
pub use message_page::{MessagePage, NextStep};
pub(crate) use mine_page::{DevicePage, DeviceStep, MinePage};
pub use moderation_page::ByEvent;
pub(crate) use moderation_page::{
    Act, BlockedContent, Held, HoldersPage, NetworkReport, OperatePage, Preview, ReportPage,
    ReportedPaste, ServerStatus, security_txt,
};
pub(crate) use name::{file_name, name_of, segment};
pub use page_cache::{CachedPage, PageCache, PageCacheStats, PageKey};
pub use paste_facts::PasteHead;
pub(crate) use paste_facts::PasteTimes;
pub use paste_page::{Availability, PastePage, paste};
pub(crate) use paste_page::{LanguagePage, mark_lines, narrow};
pub(crate) use protected_page::ProtectedPage;
pub use qr::qr;
pub(crate) use sealed_page::SealedPage;
pub use site::{Redirect, Site};
#[cfg(test)]
pub(crate) use site::{limits, site};
pub(crate) use stats_page::StatsPage;
pub use template::Page;
pub(crate) use template::to_html;

#[cfg(test)]
mod tests;
