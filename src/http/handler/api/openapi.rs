//! `GET /api/openapi.json`: the OpenAPI document.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::{JSON, NO_CACHE, json_text, respond};

/// The document. Tests hold it equal to the routes, to the members that requests may have, and to every response.
pub(crate) const DOCUMENT: &str = include_str!("openapi.json");

/// The URL of the server in [`DOCUMENT`], as JSON.
const SERVER: &str = "\"https://server.example\"";

/// Handles `GET` and `HEAD` of `/api/openapi.json`.
pub(crate) async fn openapi(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let base_url = json_text(&context.state.base_url(&context.request)?)?;
    Ok(respond(StatusCode::OK, JSON, NO_CACHE).body(DOCUMENT.replacen(SERVER, &base_url, 1)))
}
