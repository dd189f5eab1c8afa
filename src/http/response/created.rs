//! The response to every save: the owner's token, the expiry, and the client's remaining quota.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpResponse, HttpResponseBuilder};

use super::headers::{NO_STORE, TEXT, expires};
use crate::app::Created;
use crate::http::admission::RequestContext;
use crate::http::request::X_TOKEN;

/// Starts the response to a save, with the headers that every save has.
pub(crate) fn created_response(
    context: &RequestContext<'_>,
    created: &Created,
    status: StatusCode,
) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response
        .append_header((CONTENT_TYPE, TEXT))
        .append_header((CACHE_CONTROL, NO_STORE))
        .append_header((X_TOKEN, created.token.as_str()))
        .append_header(expires(created.deadline));
    for header in context
        .charges
        .remaining_quota_headers()
        .into_iter()
        .flatten()
    {
        response.append_header(header);
    }
    response
}
