//! `GET /metrics`: all counters of the server for Prometheus, for the operator alone.
//!
//! A scrape of the operator is not limited, takes no permit and no bytes of a budget, and waits for nothing. So it
//! works during overload. Cost: the locks of the store, the limiter and the others, each for some integers, and a text
//! of at most some hundred KiB.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::NO_STORE;
use crate::operate::{self, MEDIA_TYPE};

/// Handles `GET /metrics`.
pub(crate) async fn metrics(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.authorize_operator().await?;
    let counters = context.state.counters();
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, MEDIA_TYPE))
        .body(operate::metrics(&counters)))
}
