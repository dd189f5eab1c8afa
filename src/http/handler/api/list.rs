//! `GET /api/v1/pastes`: the pastes of an owner.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::mine::{cursor, page_of};
use crate::http::response::{JSON, NO_STORE, PasteList, Problem, json_text};

/// Handles `GET` and `HEAD` of `/api/v1/pastes`.
#[utoipa::path(
    get,
    path = "/api/v1/pastes",
    tag = "pastes",
    operation_id = "listPastes",
    summary = "List your pastes",
    description = "The pastes that were saved with this owner's secret, the newest first. This is no view.",
    params(("cursor" = Option<u64>, Query, description = "The `next` of the page before")),
    responses((status = 200, description = "A page of at most 50 pastes", body = PasteList), Problem<'_>),
    security(("owner" = []))
)]
pub(crate) async fn list(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let owner = context.owner()?.ok_or(ApiError::NoOwner)?;
    let before = cursor(context.request.query())?;
    let page = page_of(context, &owner, before).await?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, JSON))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .body(json_text(&PasteList::new(context, page)?)?))
}
