//! JSON that the API returns.

mod paste_counts;
mod paste_list;
mod paste_object;
mod problem;

pub(crate) use paste_counts::PasteCounts;
pub(crate) use paste_list::PasteList;
pub(crate) use paste_object::PasteObject;
pub(super) use problem::Problem;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

use super::headers::{JSON, NO_STORE, respond};
use crate::http::error::ApiError;

/// Responds with one of these values, for one client.
pub(crate) fn json_response(value: &impl Serialize) -> Result<HttpResponse, ApiError> {
    Ok(respond(StatusCode::OK, JSON, NO_STORE).body(json_text(value)?))
}

/// Returns the JSON text of one of these values.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|_| ApiError::Unavailable)
}
