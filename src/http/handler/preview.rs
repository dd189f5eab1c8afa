//! `GET /{id}+`: where a short link leads, without going there.

use actix_web::HttpResponse;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::link_page;
use crate::paste::Access;

/// `GET` and `HEAD`.
pub(crate) async fn preview(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let text = context.request.route.param;
    let stored = context.peek(context.id(text)?)?;
    match stored.access() {
        Access::Link => link_page(context, text, stored),
        Access::Open | Access::Burn(_) | Access::Locked(_) => Err(ApiError::NotALink),
    }
}
