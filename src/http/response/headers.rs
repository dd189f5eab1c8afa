//! The headers of every response, errors included.
//!
//! Invariants: no response lets a browser execute, frame, sniff or leak user content. Content is text, an octet
//! stream or an image under a policy that forbids everything. Pages load resources of this server only.
//! Cost: names and values are made at compile time. They are appended, because an insertion would first search for a
//! header to replace. No handler sets any of these headers except Vary, and the policy of a page with an image.
//!
//! The bytes of pastes are never compressed, so they and their ranges are the saved ones.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    HeaderValue, LOCATION, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::http::problem::{Header, Row};
use crate::http::request::{Coding, ResponseFormat, X_EXPIRES};
use crate::page::{Page, to_html};
use crate::paste::{Charset, ContentSlice, Deadline, Encoding};

/// Content-Type of pages.
pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// Content-Type of text.
pub(crate) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// Content-Type of bytes that are not text.
pub(crate) const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// Content-Type of images made by this server.
pub(crate) const SVG: HeaderValue = HeaderValue::from_static("image/svg+xml");
/// Content-Type of JSON.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// X-Expires of a paste that never expires.
const NEVER: HeaderValue = HeaderValue::from_static("never");

/// Cache-Control of responses that are unique or may change at any time.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// Cache-Control of bytes: any cache may store them, but has to revalidate them, so that a delete takes effect.
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// Cache-Control of pages. A page may show actions that only one browser may do.
pub(crate) const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// The content security policy of a page that may load images from these sources too. It allows styles, scripts,
/// images, forms and requests of this origin only. No other page may put it in a frame.
macro_rules! page_policy {
    ($images:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'",
            $images,
            "; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ))
    };
}

const PAGE_POLICY: HeaderValue = page_policy!("");

/// The content security policy of the page that holds the image of a protected paste.
pub(crate) const EMBEDDED_IMAGE_POLICY: HeaderValue = page_policy!(" data:");

/// The content security policy of the editor, which shows an image before it is saved.
pub(crate) const THUMBNAIL_POLICY: HeaderValue = page_policy!(" blob:");

/// The content security policy of responses that are not pages. It allows nothing, and gives the content an origin of
/// its own.
const CONTENT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
);

/// The referrer policy of pages. Their forms tell this server where they come from; without that, browsers would send
/// `Origin: null`. Other servers get no referrer.
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

/// The referrer policy of all other responses.
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// The headers of every response in addition to its content security and referrer policies.
const PROTECTION: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
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

/// Vary of every response: the format of errors depends on Accept.
const VARY_ACCEPT: HeaderValue = HeaderValue::from_static("Accept");
/// Vary of responses that may be compressed.
pub(crate) const VARY_ACCEPT_AND_CODING: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Encoding");

/// Starts a response of this media type, with its Cache-Control.
pub(crate) fn respond(
    status: StatusCode,
    media_type: HeaderValue,
    caching: HeaderValue,
) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response
        .append_header((CONTENT_TYPE, media_type))
        .append_header((CACHE_CONTROL, caching));
    response
}

/// The response to a request that succeeded and has nothing to tell.
pub(crate) fn no_content() -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    response.insert_header((CACHE_CONTROL, NO_STORE)).finish()
}

/// Starts a response that sends a browser to another page after a form.
pub(crate) fn see_other(location: &str) -> HttpResponseBuilder {
    let mut response = respond(StatusCode::SEE_OTHER, TEXT, NO_STORE);
    response.append_header((LOCATION, location));
    response
}

/// Adds the headers of every response.
pub(crate) fn protect(response: &mut HttpResponse) {
    let headers = response.headers_mut();
    let is_page = headers
        .get(CONTENT_TYPE)
        .is_some_and(|content_type| content_type == HTML);
    let (content_policy, referrer_policy) = match is_page {
        true => (PAGE_POLICY, SAME_ORIGIN),
        false => (CONTENT_POLICY, NO_REFERRER),
    };
    debug_assert!(
        is_page || !headers.contains_key(CONTENT_SECURITY_POLICY),
        "only pages have a policy of their own"
    );
    if !is_page || !headers.contains_key(CONTENT_SECURITY_POLICY) {
        headers.append(CONTENT_SECURITY_POLICY, content_policy);
    }
    headers.append(REFERRER_POLICY, referrer_policy);
    for (name, value) in PROTECTION {
        headers.append(name, value);
    }
    if !headers.contains_key(VARY) {
        headers.append(VARY, VARY_ACCEPT);
    }
}

/// Starts the response for an error. It is never cached, as a missing paste may exist later.
pub(crate) fn respond_error(error: &mut Row, media_type: HeaderValue) -> HttpResponseBuilder {
    let mut response = respond(error.status, media_type, NO_STORE);
    for header in error.headers.drain(..) {
        response.append_header(header);
    }
    response
}

/// Content-Type of the bytes of a paste. Only a request for the bytes of an image that may be shown gets its type.
pub(crate) fn content_type_of(content: ContentSlice<'_>, shows_images: bool) -> HeaderValue {
    match content.encoding() {
        _ if content.is_tar() => TAR,
        Encoding::Utf8 => TEXT,
        Encoding::Other(_) => match (content.image(), shows_images) {
            (Some(image), true) => HeaderValue::from_static(image.format.media_type()),
            (Some(_), false) => OCTETS,
            (None, _) => content.charset().map_or(OCTETS, text_in),
        },
    }
}

const TAR: HeaderValue = HeaderValue::from_static("application/x-tar");

/// Content-Type of text in this charset.
fn text_in(charset: Charset) -> HeaderValue {
    let media_type = format!("text/plain; charset={}", charset.name());
    HeaderValue::try_from(media_type).unwrap_or(OCTETS)
}

/// Returns the X-Expires header, in milliseconds since 1970.
pub(crate) fn expires(deadline: Deadline) -> Header {
    let value = deadline
        .timestamp()
        .map_or(NEVER, |timestamp| HeaderValue::from(timestamp.as_millis()));
    (X_EXPIRES, value)
}

impl Coding {
    /// Sets Content-Encoding and Vary.
    pub(crate) fn set_headers(self, response: &mut HttpResponseBuilder) {
        let name = match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        };
        if let Some(name) = name {
            response.append_header((CONTENT_ENCODING, HeaderValue::from_static(name)));
        }
        response.append_header((VARY, VARY_ACCEPT_AND_CODING));
    }

    /// Starts a response with a page in this coding.
    pub(crate) fn page(self) -> HttpResponseBuilder {
        let mut response = respond(StatusCode::OK, HTML, PRIVATE);
        self.set_headers(&mut response);
        response
    }
}

/// Completes a response that is for one client and never stored. Only the form that the client accepts is made.
pub(crate) fn page_or_text(
    response: &mut HttpResponseBuilder,
    format: ResponseFormat,
    page: &impl Page,
) -> HttpResponse {
    let (media_type, body) = match format {
        ResponseFormat::Html => (HTML, to_html(page)),
        ResponseFormat::Json | ResponseFormat::Text => (TEXT, page.text()),
    };
    response
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, media_type))
        .body(body)
}
