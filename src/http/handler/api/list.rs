//! `GET /api/v1/pastes`: the pastes of an owner.

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::mine::{cursor, page_of};
use crate::http::response::{PasteList, json_response};

/// Handles `GET` and `HEAD` of `/api/v1/pastes`.
pub(crate) async fn list(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let owner = context.owner()?.ok_or(ApiError::NoOwner)?;
    let before = cursor(context.request.query())?;
    let page = page_of(context, &owner, before).await?;
    json_response(&PasteList::new(context, page)?)
}
