//! One line a request: method, route, status, bytes, milliseconds.
//!
//! Invariants: never an id, a token, content or an address: the route is its pattern, and of the method only those
//! that are known are named, for a client may invent one and write in it what it likes.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};

use crate::http::request::{Method, Route};
use crate::log::REQUESTS;

/// Logs a request and its answer. The time is until the answer was ready to be sent.
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
