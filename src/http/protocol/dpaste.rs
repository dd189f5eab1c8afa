//! dpaste.com: version 2 of its API, a form that saves.
//!
//! Invariants: a save answers 201 with the URL in the body and in `Location`. An error is one sentence, whatever the
//! client accepts.

use std::time::{Duration, UNIX_EPOCH};

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{Expires, LOCATION};

use super::fields::{self, fields, form_body, reject_options, text};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::request::query::whole_number;
use crate::http::response::created_response;
use crate::paste::{Deadline, Expiry};

/// `poster` is ignored: a paste here has no author.
const FIELDS: [&str; 5] = ["content", "syntax", "title", "expiry_days", "poster"];

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// The first millisecond, since 1970, of the year 10000. HTTP dates end there.
const LAST_DATE: u64 = 253_402_300_800_000;

const NO_CONTENT: &str = "The field `content` is missing or empty. Send the text in it.";
const BAD_DAYS: &str = "`expiry_days` is not a number of days. Send a number from 1 to 365.";

/// Handles `POST /api/` and `POST /api/v2/`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, policy) = (context.request, context.state.app.limits.expiry_policy);
    reject_options(context)?;
    let base_url = context.state.base_url(&request)?;
    let body = form_body(context).await?;
    let fields = fields(&FIELDS, request.content_type(), &body)?;
    let sent = text(&fields, "expiry_days").map(|days| {
        let days = whole_number(&days).filter(|days| (1..=365_u64).contains(days))?;
        Expiry::from_seconds(days * SECONDS_PER_DAY).ok()
    });
    let expiry = fields::expiry(policy, sent, BAD_DAYS, |longest| {
        let words = longest.in_words();
        format!(
            "`expiry_days` is longer than the limit of {words}. Send fewer days, or leave it out."
        )
    })?;
    let names = ["content", "title", "syntax"];
    let created = fields::save(context, &fields, names, expiry, NO_CONTENT).await?;
    let url = create::url(&base_url, &created);
    let mut response = created_response(context, &created, StatusCode::CREATED);
    if let Some(expires) = expires(created.paste.deadline()) {
        response.insert_header(expires);
    }
    response.insert_header((LOCATION, url.as_str()));
    Ok(response.body(url + "\n"))
}

/// The header with the time at which the paste expires; `None` if it never does, or after the last HTTP date.
fn expires(deadline: Deadline) -> Option<Expires> {
    let millis = deadline.timestamp()?.as_millis();
    (millis < LAST_DATE).then(|| Expires((UNIX_EPOCH + Duration::from_millis(millis)).into()))
}
