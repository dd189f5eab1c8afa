//! The access log: one line per request, with method, route, status, bytes and milliseconds.
//!
//! Invariants: no line contains an id, a token, content or an address. The route is logged as its pattern. An unknown
//! method is logged as `OTHER`, because it may be any text.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};

use crate::http::request::{Method, Route};
use crate::log::REQUESTS;

/// Logs a request and its response. `took` is the time until the response was ready to be sent.
pub(crate) fn request(method: Method, route: Route<'_>, answer: &HttpResponse, took: Duration) {
    let bytes = match answer.body().size() {
        BodySize::Sized(bytes) => bytes,
        BodySize::None | BodySize::Stream => 0,
    };
    let ms = took.as_micros() as f64 / 1000.0;
    tracing::info!(
        target: REQUESTS,
        method = method.name(),
        route = route.pattern,
        status = answer.status().as_u16(),
        bytes,
        ms,
        "request"
    );
}
