//! Deleting: `DELETE /{id}` from a terminal, `POST /{id}` with the field `delete` from a page.
//!
//! Invariants: only who may do so deletes ([`mod@crate::http::request::owner`]); of several who do at once one has done it.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::handler::read::id_of;
use crate::http::request::conditions::refuse_stale;
use crate::http::request::format::ResponseFormat;
use crate::http::request::owner::authorize_delete;
use crate::http::response::headers::{HTML, NO_STORE, TEXT};
use crate::page::{self, MessagePage};
use crate::store::Reason;

/// `DELETE /{id}`, and a form that asks for the same with a token in the field.
pub(crate) fn delete(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    segment: &str,
    field: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let service = context.service;
    let id = id_of(context, segment)?;
    let now = service.now();
    let kept = context.peek(id)?;
    authorize_delete(context, request, kept.token(), field)?;
    refuse_stale(request, &kept)?;
    // Between the look and the removal another may have deleted it: then it is gone, and says so.
    service.store.take(now, id, Reason::Deleted)?;
    Ok(deleted(request, segment))
}

fn deleted(request: &HttpRequest, segment: &str) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, NO_STORE));
    match ResponseFormat::of(request.headers()) {
        ResponseFormat::Html => {
            let id = segment.split('.').next().unwrap_or_default();
            let page = MessagePage {
                heading: "Deleted",
                sentence: "The paste is gone, for everybody.",
            };
            answer
                .insert_header((
                    SET_COOKIE,
                    format!("token=; Path=/{id}; HttpOnly; SameSite=Strict; Max-Age=0"),
                ))
                .insert_header((CONTENT_TYPE, HTML))
                .body(page::message(&page))
        }
        ResponseFormat::Json | ResponseFormat::Text => answer
            .insert_header((CONTENT_TYPE, TEXT))
            .body("Deleted.\n"),
    }
}
