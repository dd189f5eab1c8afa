//! `/api/v1/operate`: numbers for the operator, and the operator's decisions.
//!
//! Invariants: only the operator gets an answer.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::operate::{acts, view};
use crate::http::request::api::moderation::Removal;
use crate::http::request::query;
use crate::http::response::{NO_STORE, json_response};

/// Handles `GET` and `HEAD` of `/api/v1/operate`.
pub(crate) async fn status(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    json_response(&view::status(context))
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/reports`.
pub(crate) async fn reports(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    json_response(&BTreeMap::from([(
        "pastes",
        view::reported(context).await?,
    )]))
}

/// Handles `DELETE /api/v1/operate/reports/{id}`.
pub(crate) async fn dismiss(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    query::reject_unknown(context.request.query(), &[])?;
    acts::dismiss(context, context.request.route.param).await?;
    Ok(done())
}

/// Handles `GET` and `HEAD` of `/api/v1/operate/blocks`.
pub(crate) async fn blocks(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    json_response(&BTreeMap::from([("blocks", view::blocked(context).await?)]))
}

/// Handles `PUT /api/v1/operate/blocks/{sha256}`.
pub(crate) async fn block(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let request = context.request;
    query::reject_unknown(request.query(), &["reason"])?;
    let note = Removal::of_query(request.query())?.note;
    acts::block(context, request.route.param, note).await?;
    Ok(done())
}

/// Handles `DELETE /api/v1/operate/blocks/{sha256}`.
pub(crate) async fn unblock(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    query::reject_unknown(context.request.query(), &[])?;
    acts::unblock(context, context.request.route.param).await?;
    Ok(done())
}

fn done() -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((CACHE_CONTROL, NO_STORE))
        .finish()
}
