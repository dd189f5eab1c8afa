//! `GET /assets/{name}`: style sheet, script and logo, compressed.
//!
//! Invariants: a name always has the same bytes, so a client that has the bytes does not request them again.
//! Cost: the first request for a file in a coding compresses it at the highest quality. All files in all codings
//! together take about 50 ms. All other responses copy nothing.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{Coding, Request};
use crate::http::response::respond;
use crate::page::{self, Asset};

/// Returns true if the path names an asset.
pub(crate) fn exists(request: &Request<'_>) -> bool {
    page::asset(request.route.param).is_some()
}

/// `GET /assets/{name}`.
pub(crate) async fn asset(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let asset = page::asset(request.route.param).ok_or(ApiError::NothingHere)?;
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    Ok(response(asset, &request, forever))
}

/// `GET /favicon.ico`, which browsers request even if no page names it.
pub(crate) async fn favicon(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    // Caching for one hour avoids most requests. A new icon is still seen soon after an update of the server.
    let one_hour = HeaderValue::from_static("public, max-age=3600");
    Ok(response(&page::FAVICON, &context.request, one_hour))
}

fn response(asset: &Asset, request: &Request<'_>, caching: HeaderValue) -> HttpResponse {
    let (coding, bytes) = asset.coded(Coding::of(request.headers(), true));
    let media_type = HeaderValue::from_static(asset.content_type);
    let mut response = respond(StatusCode::OK, media_type, caching);
    coding.set_headers(&mut response);
    response.body(bytes)
}
