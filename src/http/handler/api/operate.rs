//! `/api/v1/operate`: numbers for the operator, and the operator's decisions.
//!
//! Invariants: only the operator gets an answer.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde::Serialize;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::operate::acts;
use crate::http::request::api::moderation::Removal;
use crate::http::request::query;
use crate::http::response::{
    BlockedContents, JSON, NO_STORE, Problem, ReportedPastes, ServerStatus, json_text,
};

/// Handles `GET` and `HEAD` of `/api/v1/operate`.
#[utoipa::path(
    get,
    path = "/api/v1/operate",
    tag = "operate",
    operation_id = "getStatus",
    summary = "Tell what happens on the server",
    responses((status = 200, description = "What is stored, and what happened", body = ServerStatus), Problem<'_>),
    security(("operator" = []))
)]
pub(crate) async fn status(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    json(&ServerStatus::new(context.state, context.now()))
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/reports`.
#[utoipa::path(
    get,
    path = "/api/v1/operate/reports",
    tag = "operate",
    operation_id = "listReports",
    summary = "List the reported pastes",
    responses((status = 200, description = "All reported pastes", body = ReportedPastes), Problem<'_>),
    security(("operator" = []))
)]
pub(crate) async fn reports(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let (app, request) = (&context.state.app, context.request);
    let base_url = context.state.base_url(&request)?;
    let reports = app.store().reports(context.now()).await?;
    json(&ReportedPastes::new(&reports, &base_url, |id, slug| {
        app.text_of(id, slug)
    }))
}

/// Handles `DELETE /api/v1/operate/reports/{id}`.
#[utoipa::path(
    delete,
    path = "/api/v1/operate/reports/{id}",
    tag = "operate",
    operation_id = "dismissReports",
    summary = "Dismiss the reports about a paste",
    description = "The paste stays. It can be reported again.",
    params(("id" = String, Path, description = "The id of the paste")),
    responses((status = 204, description = "There are no reports about the paste any more"), Problem<'_>),
    security(("operator" = []))
)]
pub(crate) async fn dismiss(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    query::reject_unknown(context.request.query(), &[])?;
    acts::dismiss(context, context.request.route.param).await?;
    Ok(done())
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/blocks`.
#[utoipa::path(
    get,
    path = "/api/v1/operate/blocks",
    tag = "operate",
    operation_id = "listBlocks",
    summary = "List the blocked contents",
    responses((status = 200, description = "All blocked contents", body = BlockedContents), Problem<'_>),
    security(("operator" = []))
)]
pub(crate) async fn blocks(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let blocks = context.state.app.store().blocks().await?;
    json(&BlockedContents::new(&blocks))
}

/// Handles `PUT /api/v1/operate/blocks/{sha256}`.
#[utoipa::path(
    put,
    path = "/api/v1/operate/blocks/{sha256}",
    tag = "operate",
    operation_id = "blockContent",
    summary = "Block a content",
    description = "From now on, saving this content is refused with 451. Pastes with this content stay.",
    params(
        ("sha256" = String, Path, description = "The SHA-256 of the content, in hexadecimal digits"),
        ("reason" = Option<String>, Query, description = "Why, in at most 300 characters")
    ),
    responses((status = 204, description = "The content is blocked"), Problem<'_>),
    security(("operator" = []))
)]
pub(crate) async fn block(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let request = context.request;
    query::reject_unknown(request.query(), &["reason"])?;
    let note = Removal::of_query(request.query())?.note;
    acts::block(context, request.route.param, note).await?;
    Ok(done())
}

/// Handles `DELETE /api/v1/operate/blocks/{sha256}`.
#[utoipa::path(
    delete,
    path = "/api/v1/operate/blocks/{sha256}",
    tag = "operate",
    operation_id = "unblockContent",
    summary = "Allow a content again",
    params(("sha256" = String, Path, description = "The SHA-256 of the content, in hexadecimal digits")),
    responses((status = 204, description = "The content can be saved again"), Problem<'_>),
    security(("operator" = []))
)]
pub(crate) async fn unblock(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    query::reject_unknown(context.request.query(), &[])?;
    acts::unblock(context, context.request.route.param).await?;
    Ok(done())
}

fn json(value: &impl Serialize) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, JSON))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .body(json_text(value)?))
}

fn done() -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((CACHE_CONTROL, NO_STORE))
        .finish()
}
