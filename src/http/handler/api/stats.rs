//! `GET /api/v1/pastes/{id}/stats`: the counts of a paste, for its owner.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::{JSON, NO_STORE, PasteCounts, Problem, json_text};

/// Handles `GET` and `HEAD` of `/api/v1/pastes/{id}/stats`.
#[utoipa::path(
    get,
    path = "/api/v1/pastes/{id}/stats",
    tag = "pastes",
    operation_id = "getCounts",
    summary = "Count the views of a paste",
    description = "This is no view.",
    params(("id" = String, Path, description = "The id of the paste")),
    responses((status = 200, description = "The counts", body = PasteCounts), Problem<'_>),
    security(("token" = []))
)]
pub(crate) async fn stats(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.request.reject_query()?;
    let now = context.now();
    let id = context.id(context.request.route.param)?;
    let stored = context.peek(id).await?;
    context.authorize_owner(&stored, None)?;
    let counts = context.state.app.counts(now, id).await?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, JSON))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .body(json_text(&PasteCounts::new(&stored, &counts, now))?))
}
