//! `GET /qr/{id}`: a paste's address as a QR code, for a phone.
//!
//! Invariants: only a paste that exists has a QR code. The code shows no content, so requesting it is not a read.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::{PRIVATE, SVG, respond};
use crate::page::{self, Effort};
use crate::store::StoreError;

/// Handles `GET` and `HEAD` of `/qr/{id}`.
pub(crate) async fn qr(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let text = context.request.route.param;
    let id = context.id(text)?;
    let base_url = context.state.base_url(&context.request)?;
    context.peek(id).await?;
    // Only a base URL of thousands of characters is too long for a QR code.
    let svg = page::qr(&format!("{base_url}/{text}")).ok_or(StoreError::NotFound)?;
    let (coding, body) = context
        .request
        .coding()
        .encode(svg.into_bytes(), Effort::Dynamic);
    let mut response = respond(StatusCode::OK, SVG, PRIVATE);
    coding.set_headers(&mut response);
    Ok(response.body(body))
}
