//! `GET /qr/{id}`: a paste's address as a picture, for whoever wants it on a phone.
//!
//! What it must not know: how a picture is made.
//! Invariants: only of a paste that is there, which is not read by it: the picture shows nothing of it.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::response::headers::{PRIVATE, SVG};
use crate::page;

pub(crate) fn qr(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    text: &str,
) -> Result<HttpResponse, ApiError> {
    let id = context.id(text)?;
    let base_url = context.service.base_url(request)?;
    context.peek(id)?;
    // Only a base of thousands of characters is too long for a picture.
    let svg = page::qr(&format!("{base_url}/{text}")).ok_or(ApiError::Missing)?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, PRIVATE))
        .insert_header((CONTENT_TYPE, SVG))
        .body(svg))
}
