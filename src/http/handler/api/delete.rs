//! `DELETE /api/v1/pastes/{id}`: deletes a paste.

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::delete::remove;
use crate::http::request::api::moderation::Removal;
use crate::http::request::query;
use crate::http::response::NO_STORE;

/// Handles `DELETE /api/v1/pastes/{id}`.
pub(crate) async fn delete(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    query::reject_unknown(context.request.query(), &Removal::NAMES)?;
    remove(context, context.request.route.param, None).await?;
    Ok(HttpResponse::NoContent()
        .insert_header((CACHE_CONTROL, NO_STORE))
        .finish())
}
