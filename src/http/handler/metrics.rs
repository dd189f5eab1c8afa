//! `GET /metrics`: all counters of the server for Prometheus, for the operator alone.
//!
//! A scrape of the operator is not limited, takes no permit and no bytes of a budget, and waits for nothing. So it
//! works during overload. Cost: the locks of the store, the limiter and the others, each for some integers, and a text
//! of at most some hundred KiB.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::{NO_STORE, respond};
use crate::operate::{self, MEDIA_TYPE};

/// Handles `GET /metrics`.
pub(crate) async fn metrics(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let counters = context.state.counters();
    Ok(respond(
        StatusCode::OK,
        HeaderValue::from_static(MEDIA_TYPE),
        NO_STORE,
    )
    .body(operate::metrics(&counters)))
}
