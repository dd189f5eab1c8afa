//! `POST /api/v1/pastes`: saves the paste that a JSON object describes.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, LOCATION};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create::draft;
use crate::http::request::RequestError;
use crate::http::request::SaveOptions;
use crate::http::request::api::PasteBody;
use crate::http::response::{JSON, PasteObject, created_response, json_text};
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
