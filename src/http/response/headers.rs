//! The headers of every answer, refusals included.
//!
//! Invariants: no answer lets a browser run, frame, sniff or leak what a user wrote: content is text or an octet
//! stream under a policy that forbids everything, pages load what this server holds and nothing else.
//! Cost: names and values are made once at compile time. They are appended and not inserted, which would first look for
//! what it replaces: no handler sets any of these but Vary.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use crate::http::error::Header;
use crate::http::request::X_EXPIRES;
use crate::paste::{Deadline, Encoding};

/// Content-Type of pages.
pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// Content-Type of text.
pub(crate) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// Content-Type of bytes that are not text.
pub(crate) const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// Content-Type of pictures of our own making.
pub(crate) const SVG: HeaderValue = HeaderValue::from_static("image/svg+xml");
/// Content-Type of JSON.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// When a paste expires that never does.
const NEVER: HeaderValue = HeaderValue::from_static("never");

/// Cache-Control of what is told once, or may be otherwise the next moment.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// Cache-Control of bytes: kept by whoever likes, but asked for anew, so that a delete is a delete.
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// Cache-Control of pages, which may show what one browser alone may do.
pub(crate) const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// For pages: our own style sheet, script and images, forms and requests to ourselves, no frame around them.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// For everything else: nothing at all, and an origin of its own.
const CONTENT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
);

/// What every answer carries beside its policy.
const PROTECTION: [(HeaderName, HeaderValue); 5] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        CROSS_ORIGIN_RESOURCE_POLICY,
        HeaderValue::from_static("same-origin"),
    ),
    (
        PERMISSIONS_POLICY,
        HeaderValue::from_static(
            "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        ),
    ),
];

/// What every answer depends on: every route answers its refusals by Accept.
const BY_ACCEPT: HeaderValue = HeaderValue::from_static("Accept");
/// What an answer depends on that may be coded.
pub(crate) const BY_ACCEPT_AND_CODING: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Encoding");

/// Adds what every answer carries.
pub(crate) fn protect(answer: &mut HttpResponse) {
    let headers = answer.headers_mut();
    let is_page = headers
        .get(CONTENT_TYPE)
        .is_some_and(|content_type| content_type == HTML);
    headers.append(
        CONTENT_SECURITY_POLICY,
        if is_page { PAGE_POLICY } else { CONTENT_POLICY },
    );
    for (name, value) in PROTECTION {
        headers.append(name, value);
    }
    if !headers.contains_key(VARY) {
        headers.append(VARY, BY_ACCEPT);
    }
}

/// Content-Type of the bytes of a paste.
pub(crate) fn content_type_of(encoding: Encoding) -> HeaderValue {
    match encoding {
        Encoding::Utf8 => TEXT,
        Encoding::Binary => OCTETS,
    }
}

/// The header that tells when a paste expires, in milliseconds since 1970.
pub(crate) fn expires(deadline: Deadline) -> Header {
    let value = deadline
        .timestamp()
        .map_or(NEVER, |timestamp| HeaderValue::from(timestamp.as_millis()));
    (X_EXPIRES, value)
}
