//! Deleting: `DELETE /{id}` from a terminal, `POST /{id}` with the field `delete` from a page.
//!
//! Invariants: only who may do so deletes ([`mod@super::owner`]); of several who do at once one has done it.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse};

use super::asker::Asker;
use super::conditional::refuse_stale;
use super::headers::{HTML, NO_STORE, TEXT};
use super::negotiation::Wants;
use super::owner::may_delete;
use super::problem::Problem;
use super::read::id_of;
use crate::page::{self, MessagePage};
use crate::store::Reason;

/// `DELETE /{id}`, and a form that asks for the same with a token in the field.
pub(crate) fn delete(
    asker: &Asker<'_>,
    request: &HttpRequest,
    segment: &str,
    field: Option<&str>,
) -> Result<HttpResponse, Problem> {
    let service = asker.service;
    let id = id_of(asker, segment)?;
    let now = service.now();
    let kept = asker.peek(id)?;
    may_delete(asker, request, kept.token(), field)?;
    refuse_stale(request, &kept)?;
    // Between the look and the removal another may have deleted it: then it is gone, and says so.
    service.store.take(now, id, Reason::Deleted)?;
    Ok(deleted(request, segment))
}

fn deleted(request: &HttpRequest, segment: &str) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, NO_STORE));
    match Wants::of(request.headers()) {
        Wants::Html => {
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
        Wants::Json | Wants::Text => answer
            .insert_header((CONTENT_TYPE, TEXT))
            .body("Deleted.\n"),
    }
}
