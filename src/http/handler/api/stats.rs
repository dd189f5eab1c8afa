//! `GET /api/v1/pastes/{id}/stats`: the counts of a paste, for its owner.

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler;

/// Handles `GET` and `HEAD` of `/api/v1/pastes/{id}/stats`.
pub(crate) async fn stats(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.request.reject_query()?;
    handler::stats::stats(context).await
}
