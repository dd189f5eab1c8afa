//! The access log: one line per request, with method, route, status, bytes and milliseconds, and the request's id if a
//! trusted proxy sent one.
//!
//! Invariants: no line contains the id of a paste, a token, content or an address. The route is logged as its pattern. An unknown
//! method is logged as `OTHER`, because it may be any text.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::StatusCode;

use crate::log::REQUESTS;

/// How a save over termbin is logged: its method and its route.
pub(crate) const TERMBIN: [&str; 2] = ["TCP", "termbin"];

/// The place of [`TERMBIN`] among the series of requests.
pub(crate) const TERMBIN_SERIES: usize = 0;

/// Returns the bytes of the response's body.
pub(crate) fn bytes_of(answer: &HttpResponse) -> u64 {
    match answer.body().size() {
        BodySize::Sized(bytes) => bytes,
        BodySize::None | BodySize::Stream => 0,
    }
}

/// Logs a request that was answered with this status and number of bytes. `took` is the time until the response was
/// ready to be sent.
pub(crate) fn line(
    method: &'static str,
    route: &'static str,
    status: StatusCode,
    bytes: u64,
    took: Duration,
    request_id: Option<&str>,
) {
    let ms = took.as_micros() as f64 / 1000.0;
    tracing::info!(
        target: REQUESTS,
        method,
        route,
        status = status.as_u16(),
        bytes,
        ms,
        request_id,
        "request"
    );
}
