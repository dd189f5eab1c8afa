//! `/record`: the JSON API of the pastebin server of 2019 that preceded this one.
//!
//! Invariants: responses and errors have the fields and codes that its clients know, and also the headers of every save
//! (X-Token, X-Expires). The body is parsed as JSON whatever its content type is. An unknown member or option is
//! rejected, so a paste meant to burn or to be protected is not published.

use actix_web::HttpResponse;
use serde::{Deserialize, Serialize};

use super::fields;
use super::haste::{self, json_response, key_response, not_text};
use crate::detection::language_of;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::{ProblemType as T, Row};
use crate::http::request::has_options;
use crate::http::request::json::without_bom;
use crate::http::transfer::json_body;
use crate::paste::{Content, Expiry, Language, Title};
use crate::store::StoreError;

/// The body of a save.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRecord {
    title: String,
    lang: String,
    content: String,
    /// The lifetime in seconds.
    expiration: u64,
}

#[derive(Serialize)]
struct Record<'a> {
    title: &'a str,
    lang: &'a str,
    content: &'a str,
    /// The time of the save, in seconds since 1970.
    saving_time: u64,
    /// Seconds from the save to the expiry; zero if the paste never expires.
    expiration: u64,
    /// The number of reads, this one included.
    view_count: u32,
}

/// Codes of errors that other errors of their type do not have.
const BAD_KEY: u16 = 1001;
const BAD_EXPIRATION: u16 = 1003;

const INVALID_KEY: &str = "The key in the URL is not valid. Check it for typos.";
const NOT_A_RECORD: &str = "The body is not a record: JSON with only `title`, `lang`, `content` and `expiration` in seconds. To protect a paste, \
     use `curl -F file=@FILE -F 'password=<pw.txt' URL`, and to burn it, `-F burn=1`.";
const NOT_TEXT: &str = "This paste is not UTF-8. Replace `/record/` in its URL with `/raw/`.";
const ZERO_EXPIRATION: &str =
    "`expiration` is zero. Send the number of seconds until the paste expires.";

/// `POST /record`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, limits) = (context.request, context.state.app.limits);
    if !request.query().is_empty() || has_options(request.headers()) {
        return Err(T::MalformedRequest.says(NOT_A_RECORD).into());
    }
    let body = json_body(context).await?;
    // An array would be read as the members in their order.
    let record = Some(without_bom(&body)).filter(|body| body.trim_ascii_start().starts_with(b"{"));
    let record: Option<NewRecord> = record.and_then(|body| serde_json::from_slice(body).ok());
    let record = record.ok_or_else(|| T::MalformedRequest.says(NOT_A_RECORD))?;
    let sent = Some(Expiry::from_seconds(record.expiration).ok());
    let expiry = fields::expiry(limits.expiry_policy, "expiration", sent, ZERO_EXPIRATION)
        .map_err(|row| with_code(BAD_EXPIRATION, row))?;
    let content = Content::from_text(&record.content, limits.max_paste_size);
    let title = Title::new(&record.title);
    let language = Language::from_name(&record.lang).unwrap_or(Language::PLAIN);
    let created = fields::create(context, content, title, Some(language), expiry).await?;
    Ok(key_response(context, &created))
}

/// `GET` and `HEAD` of `/record/{key}`.
pub(crate) async fn read(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let key = context.request.address().id;
    let id = context.id(key).map_err(|error| match error {
        ApiError::Store(StoreError::NotFound) => {
            with_code(BAD_KEY, T::MalformedRequest.says(INVALID_KEY)).into()
        }
        error => error,
    })?;
    let restricted = |access| Row {
        sentence: haste::restricted(access, "/record").into(),
        ..ApiError::protected(access).row()
    };
    let paste = context.peek(id).await?.open().map_err(restricted)?;
    let content = paste.text().ok_or_else(|| not_text(NOT_TEXT))?;
    let is_view = paste.counts_on_get() && context.count_read(id);
    let (saved, deadline) = (paste.saved(), paste.deadline().timestamp());
    let record = Record {
        title: paste.title().map(Title::as_str).unwrap_or_default(),
        lang: language_of(&paste).name(),
        content,
        saving_time: saved.as_millis() / 1000,
        expiration: deadline.map_or(0, |deadline| deadline.since(saved).as_secs()),
        view_count: paste.reads().saturating_add(is_view.into()),
    };
    json_response(context, &record, content.len()).await
}

fn with_code(code: u16, row: Row) -> Row {
    Row {
        record_code: Some(code),
        ..row
    }
}
