//! The response that a browser gets as a page and a terminal as text.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpResponse, HttpResponseBuilder};

use super::headers::{HTML, NO_STORE, TEXT};
use crate::http::request::ResponseFormat;
use crate::page::Page;

/// Completes a response that is for one client and never stored. Only the form that the client accepts is made.
pub(crate) fn page_or_text(
    response: &mut HttpResponseBuilder,
    format: ResponseFormat,
    page: &impl Page,
) -> HttpResponse {
    let (media_type, body) = match format {
        ResponseFormat::Html => (HTML, page.html()),
        ResponseFormat::Json | ResponseFormat::Text => (TEXT, page.text()),
    };
    response
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, media_type))
        .body(body)
}
