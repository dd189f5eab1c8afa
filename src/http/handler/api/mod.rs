//! The JSON API: `/api/v1/pastes`, and `/api/v1/operate` for the operator.
//!
//! Invariants: every response and every error is JSON, whatever the client accepts. Saves, reads, changes and deletes
//! have the same limits and rules as on the other routes, and share their code.

pub(crate) mod operate;
mod read;
mod update;

pub(crate) use read::{read, read_protected};
pub(crate) use update::update;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler;
use crate::http::handler::create::draft;
use crate::http::handler::delete::remove;
use crate::http::handler::mine::{cursor, page_of};
use crate::http::request::api::PasteBody;
use crate::http::request::api::moderation::Removal;
use crate::http::request::{RequestError, SaveOptions, query};
use crate::http::response::{
    JSON, NO_CACHE, NO_STORE, PasteList, PasteObject, created_response, json_response, json_text,
    respond,
};
use crate::http::transfer::json_body;

/// Handles `POST /api/v1/pastes`. A member overrides the query, and the query overrides a header.
pub(crate) async fn create(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let rules = context.expiry_rules();
    let options = SaveOptions::of(&request, rules)?;
    let base_url = state.base_url(&request)?;
    let body = json_body(context).await?;
    let object = PasteBody::parse(&body)?;
    let content = object.content.ok_or(RequestError::NoContentMember)?;
    let options = options.with_form(&object.options, rules, request.format)?;
    let (draft, access) = draft(context, &content, &options).await?;
    let created = context.create(draft, access).await?;
    let object = PasteObject::of_created(context, &created)?;
    let location = format!("{base_url}/api/v1/pastes/{}", created.id);
    Ok(created_response(context, &created, StatusCode::CREATED)
        .insert_header((CONTENT_TYPE, JSON))
        .insert_header((LOCATION, location))
        .body(json_text(&object)?))
}

/// Handles `DELETE /api/v1/pastes/{id}`.
pub(crate) async fn delete(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    query::reject_unknown(context.request.query(), &Removal::NAMES)?;
    remove(context, context.request.route.param, None).await?;
    Ok(no_content())
}

/// Makes the response to a request that succeeded and has nothing to tell.
fn no_content() -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    response.insert_header((CACHE_CONTROL, NO_STORE)).finish()
}

/// Handles `GET` and `HEAD` of `/api/v1/pastes`.
pub(crate) async fn list(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let owner = context.owner()?.ok_or(ApiError::NoOwner)?;
    let before = cursor(context.request.query())?;
    let page = page_of(context, &owner, before).await?;
    json_response(&PasteList::new(context, page)?)
}

/// The document. Tests hold it equal to the routes, to the members that requests may have, and to every response.
pub(crate) const DOCUMENT: &str = include_str!("openapi.json");

/// The URL of the server in [`DOCUMENT`], as JSON.
const SERVER: &str = "\"https://server.example\"";

/// Handles `GET` and `HEAD` of `/api/openapi.json`.
pub(crate) async fn openapi(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let base_url = json_text(&context.state.base_url(&context.request)?)?;
    Ok(respond(StatusCode::OK, JSON, NO_CACHE).body(DOCUMENT.replacen(SERVER, &base_url, 1)))
}

/// Handles `GET` and `HEAD` of `/api/v1/pastes/{id}/stats`.
pub(crate) async fn stats(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.request.reject_query()?;
    handler::stats::stats(context).await
}
