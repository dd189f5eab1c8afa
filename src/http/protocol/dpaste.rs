//! dpaste.com, version 2 of its API, and dpaste.org: a form that saves.
//!
//! Both share a path and a field. The other fields tell which of them the client means.
//! Invariants: dpaste.com answers 201 with the URL in the body and in `Location`, dpaste.org 200 in the format that the
//! form names. An error is one sentence, whatever the client accepts.

use std::time::{Duration, UNIX_EPOCH};

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{Expires, LOCATION};

use serde_json::json;

use super::fields::{self, fields, form_kind, reject_options, text};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::problem::ProblemType as T;
use crate::http::request::form::Fields;
use crate::http::request::query::whole_number;
use crate::http::response::created_response;
use crate::http::transfer::save_body_or_gzip;
use crate::paste::{Deadline, Expiry};

/// The fields of dpaste.com. `poster` is ignored: a paste here has no author.
const OF_COM: [&str; 5] = ["content", "syntax", "title", "expiry_days", "poster"];
const OF_ORG: [&str; 5] = ["content", "lexer", "filename", "expires", "format"];

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// The first millisecond, since 1970, of the year 10000. HTTP dates end there.
const LAST_DATE: u64 = 253_402_300_800_000;

const NO_CONTENT: &str = "The field `content` is missing or empty. Send the text in it.";
const BAD_EXPIRES: &str =
    "`expires` is not a number of seconds. Send one such as `3600`, or `never`.";
const BAD_FORMAT: &str = "Unknown `format`. Send `default`, `url` or `json`.";
const BAD_DAYS: &str = "`expiry_days` is not a number of days. Send a number from 1 to 365.";

/// Handles `POST /api/` and `POST /api/v2/`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, policy) = (context.request, context.state.app.limits.expiry_policy);
    reject_options(context)?;
    let base_url = context.state.base_url(&request)?;
    let body = save_body_or_gzip(context, form_kind(context)).await?;
    let of_com = fields(&OF_COM, request.content_type(), &body);
    if of_com.is_err()
        && let Ok(of_org) = fields(&OF_ORG, request.content_type(), &body)
    {
        return save_for_org(context, &of_org, &base_url).await;
    }
    let fields = of_com?;
    let sent = text(&fields, "expiry_days").map(|days| {
        let days = whole_number(&days).filter(|days| (1..=365_u64).contains(days))?;
        Expiry::from_seconds(days * SECONDS_PER_DAY).ok()
    });
    let expiry = fields::expiry(policy, "expiry_days", sent, BAD_DAYS)?;
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

/// Saves a form of dpaste.org. Its default response is the URL in quotes.
async fn save_for_org(
    context: &mut RequestContext<'_>,
    fields: &Fields<'_>,
    base_url: &str,
) -> Result<HttpResponse, ApiError> {
    let policy = context.state.app.limits.expiry_policy;
    let sent = text(fields, "expires").map(|sent| match &*sent {
        "never" => Some(Expiry::Never),
        seconds => Expiry::from_seconds(whole_number(seconds)?).ok(),
    });
    let expiry = fields::expiry(policy, "expires", sent, BAD_EXPIRES)?;
    let format = text(fields, "format");
    let write: fn(&str) -> String = match format.as_deref() {
        None | Some("default") => |url| format!("\"{url}\""),
        Some("url") => |url| format!("{url}\n"),
        Some("json") => |url| json!({ "url": url }).to_string(),
        Some(_) => return Err(T::InvalidValue.says(BAD_FORMAT).into()),
    };
    let names = ["content", "filename", "lexer"];
    let created = fields::save(context, fields, names, expiry, NO_CONTENT).await?;
    let body = write(&create::url(base_url, &created));
    Ok(created_response(context, &created, StatusCode::OK).body(body))
}

/// The header with the time at which the paste expires; `None` if it never does, or after the last HTTP date.
fn expires(deadline: Deadline) -> Option<Expires> {
    let millis = deadline.timestamp()?.as_millis();
    (millis < LAST_DATE).then(|| Expires((UNIX_EPOCH + Duration::from_millis(millis)).into()))
}
