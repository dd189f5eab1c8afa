//! The response to every save: the owner's token, the expiry, and the client's remaining quota.

use actix_web::HttpResponseBuilder;
use actix_web::http::StatusCode;

use super::headers::{NO_STORE, TEXT, expires, respond};
use crate::app::Created;
use crate::http::admission::RequestContext;
use crate::http::request::X_TOKEN;

/// Starts the response to a save, with the headers that every save has.
pub(crate) fn created_response(
    context: &RequestContext<'_>,
    created: &Created,
    status: StatusCode,
) -> HttpResponseBuilder {
    let mut response = respond(status, TEXT, NO_STORE);
    response
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
