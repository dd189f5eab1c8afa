//! dpaste.com: version 2 of its API, a form that saves.
//!
//! Invariants: a save answers 201 with the URL in the body and in `Location`. An error is one sentence, whatever the
//! client accepts.

use std::time::{Duration, UNIX_EPOCH};

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{Expires, LOCATION};

use super::fields::{self, draft, fields, form_body, reject_options, text, whole_number};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::response::created_response;
use crate::paste::{Access, Deadline, Expiry, ExpiryPolicy};

/// `poster` is ignored: a paste here has no author.
const FIELDS: [&str; 5] = ["content", "syntax", "title", "expiry_days", "poster"];

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// The first millisecond, since 1970, of the year 10000. HTTP dates end there.
const LAST_DATE: u64 = 253_402_300_800_000;

const NO_CONTENT: &str = "The field `content` is missing or empty. Send the text in it.";
const BAD_DAYS: &str = "`expiry_days` is not a number of days. Send a number from 1 to 365.";

/// Handles `POST /api/` and `POST /api/v2/`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, limits) = (context.request, context.state.app.limits());
    reject_options(context)?;
    let base_url = context.state.base_url(&request)?;
    let (kind, body) = form_body(context).await?;
    let [content, syntax, title, days, _] = fields(&FIELDS, kind, request.content_type(), &body)?;
    let expiry = expiry(text(days).as_deref(), limits.expiry_policy)?;
    let content = content.unwrap_or_default();
    let draft = draft(context, &content, title, syntax, expiry)
        .map_err(|error| fields::content_error(error, NO_CONTENT, limits.max_paste_size))?;
    let created = context.create(draft, Access::Open).await?;
    let url = create::url(&base_url, &created);
    let mut response = created_response(context, &created, StatusCode::CREATED);
    if let Some(expires) = expires(created.deadline) {
        response.insert_header(expires);
    }
    response.insert_header((LOCATION, url.as_str()));
    Ok(response.body(url + "\n"))
}

/// The expiry after this number of days.
fn expiry(days: Option<&str>, policy: ExpiryPolicy) -> Result<Expiry, ApiError> {
    let Some(days) = days else {
        return Ok(policy.default_expiry());
    };
    let days = whole_number(days).filter(|days| (1..=365).contains(days));
    let sent = days.and_then(|days| Expiry::from_seconds(days * SECONDS_PER_DAY).ok());
    Ok(fields::expiry(sent, policy, BAD_DAYS, too_long)?)
}

fn too_long(longest: Expiry) -> String {
    let words = longest.in_words();
    format!("`expiry_days` is longer than the limit of {words}. Send fewer days, or leave it out.")
}

/// The header with the time at which the paste expires; `None` if it never does, or after the last HTTP date.
fn expires(deadline: Deadline) -> Option<Expires> {
    let millis = deadline.timestamp()?.as_millis();
    (millis < LAST_DATE).then(|| Expires((UNIX_EPOCH + Duration::from_millis(millis)).into()))
}
