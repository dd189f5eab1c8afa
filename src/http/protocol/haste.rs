//! haste: the API of haste-server and hastebin.
//!
//! Invariants: a save answers 200 and JSON with the key. An error is JSON with a message and without a key, because
//! some clients look for the key and ignore the status. The one option is `ttl_seconds` in the query. A save with any
//! other option is rejected, so a paste meant to burn or to be protected is not published.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::json;

use super::fields::{self, fields};
use crate::app::Created;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::{ProblemType as T, Row};
use crate::http::request::{BodyKind, has_options, query};
use crate::http::response::{JSON, PRIVATE, created_json, json_text, respond};
use crate::http::transfer::{made_body, save_body};
use crate::overload::Priority;
use crate::paste::{Access, Content, Expiry, ExpiryPolicy};

#[derive(Serialize)]
struct Document<'a> {
    data: &'a str,
    key: &'a str,
}

const NO_OPTIONS: &str = "A document has no options except `ttl_seconds` in the query. To protect a paste, use \
     `curl -F file=@FILE -F 'password=<pw.txt' URL`, and to burn it, `-F burn=1`.";
const BAD_TTL: &str = "`ttl_seconds` is not a number of seconds. Send one number that is not zero.";
const NO_DATA: &str =
    "The form needs exactly one field, `data`. Send the text in it, or as the whole body.";
const NOT_TEXT: &str = "This paste is not UTF-8. Replace `/documents/` in its URL with `/raw/`.";

/// Handles `POST /documents`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, limits) = (context.request, context.state.app.limits);
    if has_options(request.headers()) {
        return Err(T::UnknownName.says(NO_OPTIONS).into());
    }
    let expiry = ttl(request.query(), limits.expiry_policy)?;
    // A body that is labelled as urlencoded is text too: curl gives this label to every body.
    let kind = match request.is_multipart() {
        true => BodyKind::Multipart,
        false => BodyKind::Raw,
    };
    let body = save_body(context, kind).await?;
    let form;
    let content = if request.is_multipart() {
        form = fields(&["data"], request.content_type(), &body)?;
        let data = form.get("data");
        data.ok_or_else(|| T::EmptyContent.says(NO_DATA))?
    } else {
        &body
    };
    let content = Content::new(content, limits.max_paste_size);
    let created = fields::create(context, content, None, None, expiry).await?;
    Ok(key_response(context, &created))
}

/// The response to a save: `{"key":"…"}`.
pub(super) fn key_response(context: &RequestContext<'_>, created: &Created) -> HttpResponse {
    created_json(context, created, &json!({ "key": created.id }))
}

/// The message if a paste burns or has a password. It is opened at its URL without this start of the path.
pub(super) fn restricted(access: Access, start: &str) -> String {
    let (what, command) = match access {
        Access::Burn(_) => ("burns after reading", "curl -X POST URL"),
        Access::Locked(_) | Access::Open | Access::Link => {
            ("has a password", "curl -F 'password=<pw.txt' URL")
        }
    };
    format!("This paste {what}. Open it with `{command}`, without `{start}` in the URL.")
}

/// The error if the content is binary: JSON holds text, so the bytes would not survive the round trip.
pub(super) fn not_text(sentence: &'static str) -> Row {
    Row {
        status: StatusCode::NOT_ACCEPTABLE,
        ..T::NotText.says(sentence)
    }
}

/// Handles `GET` and `HEAD` of `/documents/{key}`.
pub(crate) async fn read(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let key = context.request.address().id;
    let id = context.id(key)?;
    let restricted = |access| Row {
        status: StatusCode::FORBIDDEN,
        ..T::PasswordRequired.says(restricted(access, "/documents"))
    };
    let paste = context.peek(id).await?.open().map_err(restricted)?;
    let data = paste.text().ok_or_else(|| not_text(NOT_TEXT))?;
    if paste.counts_on_get() {
        context.count_read(id);
    }
    json_response(context, &Document { data, key }, data.len()).await
}

/// Responds with the JSON of a paste, whose text has this many bytes.
pub(super) async fn json_response(
    context: &RequestContext<'_>,
    paste: &impl Serialize,
    text: usize,
) -> Result<HttpResponse, ApiError> {
    let make = || json_text(paste);
    let body = made_body(context, Priority::Read, text.saturating_mul(2), make).await?;
    Ok(respond(StatusCode::OK, JSON, PRIVATE).body(body))
}

/// The expiry of a save with this query.
fn ttl(query: &str, policy: ExpiryPolicy) -> Result<Expiry, ApiError> {
    let mut seconds = None;
    for (name, value) in query::pairs(query)? {
        if name != "ttl_seconds" {
            return Err(T::UnknownName.says(NO_OPTIONS).into());
        }
        if seconds.replace(value).is_some() {
            return Err(fields::repeated("ttl_seconds").into());
        }
    }
    let sent = seconds.map(|it| Expiry::from_seconds(query::whole_number(&it)?).ok());
    Ok(fields::expiry(policy, "ttl_seconds", sent, BAD_TTL)?)
}
