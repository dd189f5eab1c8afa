//! rustypaste: `GET /version`. Its forms and headers are those of every save, and it deletes as all clients do.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::{NO_CACHE, TEXT, respond};

/// Handles `GET` and `HEAD` of `/version`.
pub(crate) async fn version(_: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    Ok(respond(StatusCode::OK, TEXT, NO_CACHE).body(concat!(env!("CARGO_PKG_VERSION"), "\n")))
}
