//! `GET /{id}+`: shows the target of a short link without following it.

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::link_page;
use crate::paste::Access;

/// Handles `GET` and `HEAD` of `/{id}+`.
pub(crate) async fn preview(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let text = context.request.route.param;
    let stored = context.peek(context.id(text)?).await?;
    match stored.access() {
        Access::Link => link_page(context, text, stored),
        Access::Open | Access::Burn(_) | Access::Locked(_) => Err(ApiError::NotALink),
    }
}
