//! The JSON object of a list of pastes.
//!
//! Invariants: it is for the owner alone, so it tells the title and the size of a paste that burns. Those of a paste
//! with a password are encrypted, so it tells neither.

use serde::Serialize;

use super::paste_object::PasteKind;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::paste::{Access, Language, ReadsLeft, Title};
use crate::store::{ListPage, Listed};

/// A page of the list of an owner's pastes.
#[derive(Serialize)]
pub(crate) struct PasteList {
    /// The pastes, the newest first. There may be fewer than the page could hold, even if more follow.
    pastes: Vec<ListedPaste>,
    /// The `cursor` of the next page, or `null` if this is the last one.
    next: Option<u64>,
}

/// A paste of the list. Times are in milliseconds since 1970.
#[derive(Serialize)]
struct ListedPaste {
    /// Twelve characters, or the slug that was chosen.
    id: String,
    /// The address for people.
    url: String,
    kind: PasteKind,
    /// `null` if there is none, or if it is encrypted.
    title: Option<String>,
    /// The language that was named, or `null`.
    language: Option<&'static str>,
    /// The bytes of the content, or `null` if it is encrypted.
    size: Option<usize>,
    /// When the content was saved.
    saved: u64,
    /// When the paste expires, or `null` for never.
    expires: Option<u64>,
    /// Whether the content is encrypted.
    has_password: bool,
    /// All views, or clicks of a link.
    reads: u32,
    /// Views until the paste is deleted, or `null` if they are not limited.
    reads_left: Option<u8>,
}

impl PasteList {
    pub(crate) fn new(context: &RequestContext<'_>, page: ListPage) -> Result<Self, ApiError> {
        let base = context.state.base_url(&context.request)?;
        let pastes = page.pastes.into_iter();
        let pastes = pastes.map(|paste| {
            let id = context.state.app.text_of(paste.id, paste.slug.as_ref());
            ListedPaste::new(format!("{base}/{id}"), id, paste)
        });
        Ok(Self {
            pastes: pastes.collect(),
            next: page.next,
        })
    }
}

impl ListedPaste {
    fn new(url: String, id: String, paste: Listed) -> Self {
        let Listed {
            summary, access, ..
        } = paste;
        let has_password = matches!(access, Access::Locked(_));
        let title = summary.title.as_ref().map(Title::as_str);
        Self {
            id,
            url,
            kind: PasteKind::of(access),
            title: title.map(str::to_owned),
            language: summary.language.map(Language::name),
            size: (!has_password).then_some(summary.size),
            saved: summary.saved.as_millis(),
            expires: paste.deadline.timestamp().map(|time| time.as_millis()),
            has_password,
            reads: paste.reads,
            reads_left: access.reads_left().map(ReadsLeft::get),
        }
    }
}
