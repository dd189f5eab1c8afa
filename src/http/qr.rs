//! `GET /qr/{id}`: a paste's address as a picture, for whoever wants it on a phone.
//!
//! What it must not know: how a picture is made.
//! Invariants: only of a paste that is there, which is not read by it: the picture shows nothing of it.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse};

use super::asker::Asker;
use super::headers::{PRIVATE, SVG};
use super::problem::Problem;
use crate::page;

pub(crate) fn qr(
    asker: &Asker<'_>,
    request: &HttpRequest,
    text: &str,
) -> Result<HttpResponse, Problem> {
    let id = asker.id(text)?;
    let base_url = asker.service.base_url(request)?;
    asker.peek(id)?;
    // Only a base of thousands of characters is too long for a picture.
    let svg = page::qr(&format!("{base_url}/{text}")).ok_or(Problem::Missing)?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, PRIVATE))
        .insert_header((CONTENT_TYPE, SVG))
        .body(svg))
}
