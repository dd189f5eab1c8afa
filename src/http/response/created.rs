//! The response to every save: the owner's token, the expiry, and the client's remaining quota. And the cookies that
//! store the token in a browser. Each is sent for this paste alone.
//!
//! One makes the browser the owner of the paste, and lives as long as the paste. The other tells the page after the
//! save which token to show; that page removes it, so the token is shown once.

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, SET_COOKIE};
use actix_web::{HttpResponse, HttpResponseBuilder};
use serde_json::Value;

use super::headers::{JSON, NO_STORE, TEXT, expires, respond};
use crate::app::Created;
use crate::http::admission::RequestContext;
use crate::http::request::{Request, X_TOKEN};
use crate::paste::Deadline;

/// Starts the response to a save, with the headers that every save has.
pub(crate) fn created_response(
    context: &RequestContext<'_>,
    created: &Created,
    status: StatusCode,
) -> HttpResponseBuilder {
    let mut response = respond(status, TEXT, NO_STORE);
    response
        .append_header((X_TOKEN, created.token.as_str()))
        .append_header(expires(created.paste.deadline()));
    let quota = context.charges.remaining_quota_headers();
    for header in quota.into_iter().flatten() {
        response.append_header(header);
    }
    response
}

/// Responds to a save with JSON, as the APIs of other pastebins do.
pub(crate) fn created_json(
    context: &RequestContext<'_>,
    created: &Created,
    answer: &Value,
) -> HttpResponse {
    created_response(context, created, StatusCode::OK)
        .insert_header((CONTENT_TYPE, JSON))
        .body(answer.to_string())
}

/// The longest age in seconds: 400 days, the limit of browsers (RFC 6265bis). A cookie without an age would end with
/// the browser session.
const MAX_AGE: u64 = 400 * 24 * 3600;

/// How long a token waits for the page that shows it, in seconds.
const SHOWN_AGE: u64 = 60;

/// Returns the `Set-Cookie` that stores a paste's token.
pub(crate) fn owner_cookie(
    context: &RequestContext<'_>,
    id: &str,
    token: &str,
    deadline: Deadline,
) -> String {
    let now = context.state.now();
    let age = deadline.timestamp().map_or(MAX_AGE, |timestamp| {
        timestamp.since(now).as_secs().clamp(1, MAX_AGE)
    });
    cookie(&context.request, "token", id, token, age)
}

/// Returns the `Set-Cookie` that removes the token.
pub(crate) fn no_owner_cookie(request: &Request<'_>, id: &str) -> String {
    cookie(request, "token", id, "", 0)
}

/// Returns the `Set-Cookie` with the token that the page at this segment of the path shows.
pub(crate) fn saved_cookie(request: &Request<'_>, segment: &str, token: &str) -> String {
    cookie(request, "saved", segment, token, SHOWN_AGE)
}

/// Removes the cookie of [`saved_cookie`] if the page shows the token.
pub(crate) fn end_saved(
    response: &mut HttpResponseBuilder,
    request: &Request<'_>,
    segment: &str,
    shown: Option<&str>,
) {
    if shown.is_some() {
        response.append_header((SET_COOKIE, cookie(request, "saved", segment, "", 0)));
    }
}

fn cookie(request: &Request<'_>, name: &str, segment: &str, token: &str, age: u64) -> String {
    let secure = if request.is_https() { "; Secure" } else { "" };
    let path = [request.base_path(), "/", segment].concat();
    format!("{name}={token}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}
