//! The JSON object of a paste, as the API returns it.
//!
//! Invariants: without its content, the object shows only public facts: of a paste that burns or has a password,
//! neither size nor title. The token is in the response to the save alone.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::app::Created;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::etag::etag_of_open;
use crate::paste::{Access, Language, Paste, ReadsLeft, StoredPaste, Title};

/// Whether a paste is a short link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PasteKind {
    Paste,
    Link,
}

impl PasteKind {
    pub(super) fn of(access: Access) -> Self {
        match access {
            Access::Link => Self::Link,
            Access::Open | Access::Burn(_) | Access::Locked(_) => Self::Paste,
        }
    }
}

/// A paste. Times are in milliseconds since 1970, as in all other responses of the server.
#[derive(Serialize)]
pub(crate) struct PasteObject<'a> {
    /// Twelve characters, or the slug that was chosen.
    id: &'a str,
    /// The address for people.
    url: String,
    /// The address of the exact bytes.
    raw_url: String,
    /// The address that reads a paste that burns or has a password. `null` if a GET of the paste returns its content.
    read_url: Option<String>,
    /// The token that changes and deletes the paste. Only the response to the save has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    kind: PasteKind,
    /// `null` if there is none. Of a paste that burns or has a password, it is `null` until the content is read.
    title: Option<Cow<'a, str>>,
    /// The language that was named, or that of the content in this response. `null` if it was not detected yet.
    language: Option<&'static str>,
    /// The bytes of the content. `null` until it is read, if the paste burns or has a password.
    size: Option<usize>,
    /// When the content was saved.
    saved: u64,
    /// When the paste expires, or `null` for never.
    expires: Option<u64>,
    /// Whether the content is encrypted, so that reading it needs the password.
    has_password: bool,
    /// Views until the paste is deleted, or `null` if they are not limited.
    reads_left: Option<u8>,
    /// The tag of the content for `If-Match`. `null` if the paste burns or has a password.
    etag: Option<String>,
    /// The content, if it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Cow<'a, str>>,
    /// The content in base64, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_base64: Option<String>,
}

impl<'a> PasteObject<'a> {
    /// Makes the object of the public facts of a stored paste.
    pub(crate) fn new(
        context: &RequestContext<'_>,
        id: &'a str,
        stored: &StoredPaste,
    ) -> Result<Self, ApiError> {
        let base = context.state.base_url(&context.request)?;
        let access = stored.access();
        let etag = etag_of_open(stored, context.state.images)
            .and_then(|tag| Some(tag.to_str().ok()?.to_owned()));
        let open = stored.clone().open().ok();
        Ok(Self {
            id,
            url: format!("{base}/{id}"),
            raw_url: format!("{base}/raw/{id}"),
            read_url: match access {
                Access::Open | Access::Link => None,
                Access::Burn(_) | Access::Locked(_) => {
                    Some(format!("{base}/api/v1/pastes/{id}/read"))
                }
            },
            token: None,
            kind: PasteKind::of(access),
            title: open.as_ref().and_then(Paste::title).map(title),
            language: stored.named_language().map(Language::name),
            size: open.map(|paste| paste.bytes().len()),
            saved: stored.saved().as_millis(),
            expires: stored.deadline().timestamp().map(|time| time.as_millis()),
            has_password: matches!(access, Access::Locked(_)),
            reads_left: access.reads_left().map(ReadsLeft::get),
            etag,
            content: None,
            content_base64: None,
        })
    }

    /// Makes the object of a new paste, with the owner's token.
    pub(crate) fn of_created(
        context: &RequestContext<'_>,
        created: &'a Created,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            token: Some(created.token.as_str()),
            ..Self::new(context, &created.id, &created.paste)?
        })
    }

    /// Sets the number of reads that are left.
    pub(crate) fn with_reads_left(self, reads_left: Option<u8>) -> Self {
        Self { reads_left, ..self }
    }

    /// Adds the content and all that is known of it.
    pub(crate) fn with_content(self, paste: &'a Paste) -> Self {
        let is_text = self.kind == PasteKind::Paste && paste.text().is_some();
        let language = match is_text {
            true => Some(paste.language()),
            false => paste.named_language(),
        };
        Self {
            title: paste.title().map(title),
            language: language.map(Language::name),
            size: Some(paste.bytes().len()),
            content: paste.text().map(Cow::Borrowed),
            content_base64: match paste.text() {
                Some(_) => None,
                None => Some(STANDARD.encode(paste.bytes())),
            },
            ..self
        }
    }
}

fn title<'a>(title: &Title) -> Cow<'a, str> {
    Cow::Owned(title.as_str().to_owned())
}
