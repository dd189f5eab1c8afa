//! The access log: one line per request, with method, route, status, bytes and milliseconds.
//!
//! Invariants: no line contains an id, a token, content or an address. The route is logged as its pattern. An unknown
//! method is logged as `OTHER`, because it may be any text.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::StatusCode;

use crate::http::request::{Method, Route};
use crate::log::REQUESTS;

/// Logs a request and its response. `took` is the time until the response was ready to be sent.
pub(crate) fn request(method: Method, route: Route<'_>, answer: &HttpResponse, took: Duration) {
    let bytes = match answer.body().size() {
        BodySize::Sized(bytes) => bytes,
        BodySize::None | BodySize::Stream => 0,
    };
    line(method.name(), route.pattern, answer.status(), bytes, took);
}

/// Logs a request that was answered with this status and number of bytes.
pub(crate) fn line(
    method: &'static str,
    route: &'static str,
    status: StatusCode,
    bytes: u64,
    took: Duration,
) {
    let ms = took.as_micros() as f64 / 1000.0;
    tracing::info!(
        target: REQUESTS,
        method,
        route,
        status = status.as_u16(),
        bytes,
        ms,
        "request"
    );
}
