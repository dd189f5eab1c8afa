//! `DELETE /api/v1/pastes/{id}`: deletes a paste.

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::delete::remove;
use crate::http::request::api::moderation::Removal;
use crate::http::request::query;
use crate::http::response::{NO_STORE, Problem};

/// Handles `DELETE /api/v1/pastes/{id}`.
#[utoipa::path(
    delete,
    path = "/api/v1/pastes/{id}",
    tag = "pastes",
    operation_id = "deletePaste",
    summary = "Delete a paste",
    description = "Later reads get 410.",
    params(
        ("id" = String, Path, description = "The id of the paste"),
        ("If-Match" = Option<String>, Header, description = "The `etag` that the content must have"),
        ("block" = Option<bool>, Query, description = "Whether the operator blocks the content too"),
        ("reason" = Option<String>, Query, description = "Why the operator removes the paste: at most 300 characters")
    ),
    responses((status = 204, description = "The paste is deleted"), Problem<'_>),
    security(("token" = []), ("operator" = []))
)]
pub(crate) async fn delete(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    query::reject_unknown(context.request.query(), &Removal::NAMES)?;
    remove(context, context.request.route.param, None).await?;
    Ok(HttpResponse::NoContent()
        .insert_header((CACHE_CONTROL, NO_STORE))
        .finish())
}
