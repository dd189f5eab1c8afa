//! Refusals of clients that flood: their next head waits, and further refusals are short.
//!
//! Invariants: only a client whose reads are all refused by its limit floods. A request with a body or credentials is
//! not part of a flood.

use std::rc::Rc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    AUTHORIZATION, CONTENT_LENGTH, COOKIE, HeaderMap, HeaderValue, RETRY_AFTER, TRANSFER_ENCODING,
};

use crate::http::connection::ConnectionState;
use crate::http::request::{Method, is_forwarded};
use crate::http::response::{NO_STORE, TEXT, protect, respond};

/// Returns whether a request may be refused because its client floods. Other limits may apply to one that saves, or
/// that shows credentials.
pub(super) fn may_flood(method: Method, headers: &HeaderMap) -> bool {
    let names = [TRANSFER_ENCODING, CONTENT_LENGTH, AUTHORIZATION, COOKIE];
    let is_plain = !names.iter().any(|name| headers.contains_key(name));
    matches!(method, Method::Get | Method::Head) && is_plain
}

/// Returns the response to a client that floods. It says less than other refusals.
pub(super) fn short_refusal() -> HttpResponse {
    let mut response = respond(StatusCode::TOO_MANY_REQUESTS, TEXT, NO_STORE)
        .insert_header((RETRY_AFTER, HeaderValue::from_static("1")))
        .body("Too many requests. Try again in 1 second.\n");
    protect(&mut response);
    response
}

/// Returns whether the limit of reads has refused the request. Other limits do not refuse all reads.
pub(super) fn is_refused_read(response: &HttpResponse) -> bool {
    let policy = response.headers().get("ratelimit-policy");
    policy.is_some_and(|policy| policy.as_bytes().starts_with(b"\"read-"))
}

/// Lets the client wait after a refusal, unless a proxy has passed the request on.
pub(super) fn slow_down(
    connection: Option<&Rc<ConnectionState>>,
    headers: &HeaderMap,
    response: &HttpResponse,
) {
    if let Some(connection) = connection
        && !is_forwarded(headers)
    {
        let seconds = response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
        connection.refuse(Duration::from_secs(seconds.unwrap_or(1)));
    }
}
