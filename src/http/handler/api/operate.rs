//! `/api/v1/operate`: numbers for the operator, and the operator's decisions.
//!
//! Invariants: only the operator gets an answer.

use std::collections::BTreeMap;

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::api::no_content;
use crate::http::handler::operate::{carry_out, view};
use crate::http::request::api::moderation::Removal;
use crate::http::request::query;
use crate::http::response::json_response;
use crate::page::Act;

/// Handles `GET` and `HEAD` of `/api/v1/operate`.
pub(crate) async fn status(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    json_response(&view::status(context))
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/reports`.
pub(crate) async fn reports(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let pastes = view::reported(context).await?;
    json_response(&BTreeMap::from([("pastes", pastes)]))
}

/// Handles `DELETE /api/v1/operate/reports/{id}`.
pub(crate) async fn dismiss(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    act(context, Act::Dismiss, &[]).await
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/blocks`.
pub(crate) async fn blocks(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    json_response(&BTreeMap::from([("blocks", view::blocked(context).await?)]))
}

/// Handles `PUT /api/v1/operate/blocks/{sha256}`.
pub(crate) async fn block(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    act(context, Act::Block, &["reason"]).await
}

/// Handles `DELETE /api/v1/operate/blocks/{sha256}`.
pub(crate) async fn unblock(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    act(context, Act::Unblock, &[]).await
}

/// Carries out an act on what the path names, with these names in the query.
async fn act(
    context: &mut RequestContext<'_>,
    act: Act,
    names: &[&'static str],
) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let request = context.request;
    query::reject_unknown(request.query(), names)?;
    let note = Removal::of_query(request.query())?.note;
    carry_out(context, act, request.route.param, note).await?;
    Ok(no_content())
}
