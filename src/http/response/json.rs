//! JSON that the API returns.
//!
//! Invariants: without its content, the object of a paste shows only public facts: of a paste that burns or has a
//! password, neither size nor title. The token is in the response to the save alone. The list of an owner is for the
//! owner alone, so it tells the title and the size of a paste that burns. Those of a paste with a password are
//! encrypted, so it tells neither.

use std::borrow::Cow;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::headers::{JSON, NO_STORE, respond};
use crate::app::Created;
use crate::detection::language_of;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::etag::etag_of_open;
use crate::page::file_path;
use crate::paste::{
    Access, ArchivedFile, Counts, Language, Paste, ReadsLeft, StoredPaste, Timestamp, Title,
};
use crate::store::{ListPage, Listed};

/// Responds with one of these values, for one client.
pub(crate) fn json_response(value: &impl Serialize) -> Result<HttpResponse, ApiError> {
    Ok(respond(StatusCode::OK, JSON, NO_STORE).body(json_text(value)?))
}

/// Returns the JSON text of one of these values.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|_| ApiError::Unavailable)
}

/// Whether a paste is a short link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PasteKind {
    Paste,
    Link,
}

impl PasteKind {
    fn of(access: Access) -> Self {
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
    /// A page that deletes the paste, for people. The token is its fragment, which browsers send to no server. Only the
    /// response to the save has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_url: Option<String>,
    kind: PasteKind,
    /// `null` if there is none. Of a paste that burns or has a password, it is `null` until the content is read.
    title: Option<String>,
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
    pub(crate) reads_left: Option<u8>,
    /// The tag of the content for `If-Match`. `null` if the paste burns or has a password.
    etag: Option<String>,
    /// The content, if it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Cow<'a, str>>,
    /// The content in base64, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_base64: Option<String>,
    /// The files, if the content is an archive.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileObject>,
}

/// A file of a paste.
#[derive(Serialize)]
struct FileObject {
    /// A relative path.
    name: String,
    /// The bytes of the file.
    size: usize,
    /// The address of the exact bytes.
    raw_url: String,
}

/// Returns the files of an archive whose bytes are at `raw_url`.
fn files_of(paste: &Paste, raw_url: &str) -> Vec<FileObject> {
    let archive = paste.archive().and_then(Result::ok).unwrap_or_default();
    let files = archive.files().iter();
    let object = |file: &ArchivedFile<'_>| FileObject {
        name: file.name.clone().into_owned(),
        size: file.content.len(),
        raw_url: format!("{raw_url}/{}", file_path(&file.name)),
    };
    files.map(object).collect()
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
        let etag = etag_of_open(stored, context.state.site.images)
            .and_then(|tag| Some(tag.to_str().ok()?.to_owned()));
        let open = stored.clone().open().ok();
        let raw_url = format!("{base}/raw/{id}");
        let files = open.as_ref().map(|paste| files_of(paste, &raw_url));
        Ok(Self {
            id,
            url: format!("{base}/{id}"),
            raw_url,
            read_url: match access {
                Access::Open | Access::Link => None,
                Access::Burn(_) | Access::Locked(_) => {
                    Some(format!("{base}/api/v1/pastes/{id}/read"))
                }
            },
            token: None,
            delete_url: None,
            kind: PasteKind::of(access),
            title: open.as_ref().and_then(Paste::title).map(text),
            language: stored.named_language().map(Language::name),
            size: open.map(|paste| paste.bytes().len()),
            saved: stored.saved().as_millis(),
            expires: stored.deadline().timestamp().map(|time| time.as_millis()),
            has_password: matches!(access, Access::Locked(_)),
            reads_left: access.reads_left().map(ReadsLeft::get),
            etag,
            content: None,
            content_base64: None,
            files: files.unwrap_or_default(),
        })
    }

    /// Makes the object of a new paste, with the owner's token.
    pub(crate) fn of_created(
        context: &RequestContext<'_>,
        created: &'a Created,
    ) -> Result<Self, ApiError> {
        let object = Self::new(context, &created.id, &created.paste)?;
        let token = created.token.as_str();
        Ok(Self {
            token: Some(token),
            delete_url: Some(format!("{}/delete#{token}", object.url)),
            ..object
        })
    }

    /// Adds the content and all that is known of it.
    pub(crate) fn with_content(self, paste: &'a Paste) -> Self {
        let is_text =
            self.kind == PasteKind::Paste && paste.text().is_some() && paste.archive().is_none();
        let language = match is_text {
            true => Some(language_of(paste)),
            false => paste.named_language(),
        };
        Self {
            title: paste.title().map(text),
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

fn text(title: &Title) -> String {
    title.as_str().to_owned()
}

/// The counts of a paste. Hours and days are those of UTC, times are in milliseconds since 1970.
#[derive(Serialize)]
pub(crate) struct PasteCounts {
    kind: PasteKind,
    /// All views, or clicks of a link.
    reads: u32,
    /// Views until the paste is deleted, or `null` if they are not limited.
    reads_left: Option<u8>,
    /// One number per hour. The current hour is last.
    by_hour: [u32; 24],
    /// One number per day. Today is last.
    by_day: [u32; 30],
    /// When the present content was saved.
    saved: u64,
    /// When the paste expires, or `null` for never.
    expires: Option<u64>,
}

impl PasteCounts {
    pub(crate) fn new(stored: &StoredPaste, counts: &Counts, now: Timestamp) -> Self {
        let deadline = stored.deadline().timestamp();
        Self {
            kind: PasteKind::of(stored.access()),
            reads: stored.reads(),
            reads_left: stored.access().reads_left().map(ReadsLeft::get),
            by_hour: counts.by_hour(now),
            by_day: counts.by_day(now),
            saved: stored.saved().as_millis(),
            expires: deadline.map(|deadline| deadline.as_millis()),
        }
    }
}

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
    /// What it is called without a title, from the start of its content. `null` if it has a title, or nothing tells.
    name: Option<String>,
    /// The language that was named or detected, or `null`.
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
        Self {
            id,
            url,
            kind: PasteKind::of(access),
            title: summary.title.as_ref().map(text),
            name: summary.name().filter(|_| summary.title.is_none()).map(text),
            language: summary.language().map(Language::name),
            size: (!has_password).then_some(summary.size),
            saved: summary.saved.as_millis(),
            expires: paste.deadline.timestamp().map(|time| time.as_millis()),
            has_password,
            reads: paste.reads,
            reads_left: access.reads_left().map(ReadsLeft::get),
        }
    }
}

/// An error, as problem details (RFC 9457).
#[derive(Serialize)]
pub(crate) struct Problem<'a> {
    /// The kind of problem: a URI reference. `/api` explains each type.
    pub(crate) r#type: String,
    /// The type in words.
    pub(crate) title: &'static str,
    /// The status of the response.
    pub(crate) status: u16,
    /// What happened, and what to do next.
    pub(crate) detail: &'a str,
    /// The rate limits that are exceeded, if any.
    #[serde(rename = "violated-policies", skip_serializing_if = "Vec::is_empty")]
    pub(crate) violated_policies: Vec<String>,
}

/// Estimates the bytes of the object with its content. What is encrypted may need an escape for each byte.
pub(crate) fn json_size(stored: &StoredPaste) -> usize {
    let most = || stored.content_bytes().saturating_mul(ESCAPE);
    stored
        .plain()
        .map_or_else(most, |content| escaped_size(content))
}

/// The bytes of the longest escape, `\u001b`.
const ESCAPE: usize = 6;

/// Returns how many bytes a content takes at most as a string of JSON (RFC 8259, section 7), or in base64.
fn escaped_size(content: &[u8]) -> usize {
    let size = |byte: &u8| match byte {
        b'"' | b'\\' | 8..=10 | 12 | 13 => 2,
        0..32 => ESCAPE,
        _ => 1,
    };
    let escaped: usize = content.iter().map(size).sum();
    escaped.max(content.len().div_ceil(3) * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_an_object_is_that_of_its_content_with_all_escapes() {
        for text in ["", "abc\n\"\\\t", "\u{1b}[1m\u{7f}\u{8}\u{b}", "é𝄞\0"] {
            let written = serde_json::to_string(text).expect("a string");
            assert!(
                escaped_size(text.as_bytes()) + 2 >= written.len(),
                "{written}"
            );
        }
        assert_eq!(escaped_size(&[0x1b; 100]), 600);
        assert_eq!(escaped_size(&[0xff; 100]), 136);
    }
}
