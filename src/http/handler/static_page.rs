//! What is not a paste: the how-to, robots and health.
//!
//! Cost: a page is rendered anew each time.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

use crate::http::error::api_error::ApiError;
use crate::http::request::format::ResponseFormat;
use crate::http::response::coding::{Coding, Effort};
use crate::http::response::headers::{NO_CACHE, TEXT};
use crate::http::service::Service;
use crate::page::{self, HelpPage};

/// `GET /help`: the how-to, as a page or as text.
pub(crate) fn help(service: &Service, request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let page = HelpPage {
        base_url: &service.base_url(request)?,
        max_size: &service.max_size(),
        default_expiry: service.limits.expiry_policy.default_expiry(),
        longest_expiry: service.limits.expiry_policy.longest(),
        links: true,
    };
    Ok(match ResponseFormat::of(request.headers()) {
        ResponseFormat::Html => {
            let html = page::help(&page).into_bytes();
            let (coding, body) = Coding::of(request.headers()).code(html, Effort::Dynamic);
            coding.page().body(body)
        }
        ResponseFormat::Json | ResponseFormat::Text => text(page::help_text(&page)),
    })
}

/// `GET /healthz`.
pub(crate) fn health() -> HttpResponse {
    text("ok\n".to_owned())
}

/// `GET /robots.txt`: pastes are for who has their address.
pub(crate) fn robots() -> HttpResponse {
    text("User-agent: *\nDisallow: /\n".to_owned())
}

/// `GET /favicon.ico`: what a browser asks for without having seen a page.
pub(crate) fn favicon() -> HttpResponse {
    // An hour spares most requests and forgets an older version soon after an update.
    HttpResponse::Ok()
        .insert_header((
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ))
        .content_type(page::FAVICON.content_type)
        .body(page::FAVICON.bytes)
}

fn text(body: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, NO_CACHE))
        .insert_header((CONTENT_TYPE, TEXT))
        .body(body)
}
