//! What a look at a paste gets that is locked, or may be read only so often: what it is, and how to read it.
//!
//! What it must not know: content, title, language and size of the paste.
//! Invariants: no look uses up a read or shows anything of the content, whatever the route and the method, so link
//! previews, scanners and reloads cost nothing; a look that comes with the password of what may be read as often as one
//! likes is no look but a read.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::handler::read::{Address, Representation};
use crate::http::handler::read_protected;
use crate::http::request::format::ResponseFormat;
use crate::http::request::options::header_password;
use crate::http::request::owner::has_cookie;
use crate::http::response::headers::{HTML, NO_STORE};
use crate::http::response::paste_times::PasteTimes;
use crate::page::{self, ProtectedPage};
use crate::paste::{Access, StoredPaste};

/// `GET` and `HEAD`.
pub(crate) async fn look(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    kept: StoredPaste,
    representation: Representation,
) -> Result<HttpResponse, ApiError> {
    let access = kept.access();
    if access == Access::Locked(None)
        && request.method() == Method::GET
        && let Some(password) = header_password(request)?
    {
        return read_protected::closed(
            context,
            request,
            address,
            kept,
            representation,
            Some(password),
        )
        .await;
    }
    match ResponseFormat::of(request.headers()) {
        ResponseFormat::Html => page(context, request, address, &kept, None),
        ResponseFormat::Json | ResponseFormat::Text => Err(ApiError::closed(access)),
    }
}

/// The page that asks for what is lacking: a press of a button, or the password; with a complaint about what was sent.
pub(crate) fn page(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    kept: &StoredPaste,
    complaint: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let service = context.service;
    let span = PasteTimes::of(service, kept.saved(), kept.deadline());
    let page = page::protected(&ProtectedPage {
        segment: address.segment,
        id: address.text,
        url: &format!("{}/{}", service.base_url(request)?, address.text),
        access: kept.access(),
        expires_in: span.expires_in,
        expires_at: span.expires_at,
        may_delete: has_cookie(request, kept.token()),
        complaint,
    });
    let status = match kept.access() {
        Access::Locked(_) => StatusCode::UNAUTHORIZED,
        Access::Open | Access::Link | Access::Burn(_) => StatusCode::OK,
    };
    let mut answer = HttpResponse::build(status);
    if status == StatusCode::UNAUTHORIZED {
        for header in ApiError::NoPassword.headers() {
            answer.insert_header(header);
        }
    }
    Ok(answer
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, HTML))
        .body(page))
}
