//! `GET /api/v1/pastes/{id}/stats`: the counts of a paste, for its owner.

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::{PasteCounts, json_response};

/// Handles `GET` and `HEAD` of `/api/v1/pastes/{id}/stats`.
pub(crate) async fn stats(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.request.reject_query()?;
    let now = context.now();
    let id = context.id(context.request.route.param)?;
    let stored = context.peek(id).await?;
    context.authorize_owner(&stored, None)?;
    let counts = context.state.app.counts(now, id).await?;
    json_response(&PasteCounts::new(&stored, &counts, now))
}
