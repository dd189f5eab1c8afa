//! Deleting: `DELETE /{id}` from a terminal, `POST /{id}` with the field `delete` from a page.
//!
//! Invariants: only who shows the paste's token deletes it, or the operator; the comparison takes the same time for
//! every wrong one. A token comes as a form field, as `X-Token` or in the paste's own cookie, in this order.
//! `Authorization` is who somebody is and never a paste's token.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, dev};

use super::asker::Asker;
use super::body::collect;
use super::form::DeleteForm;
use super::headers::{HTML, NO_STORE, TEXT, X_TOKEN};
use super::negotiation::Wants;
use super::operator::Bearer;
use super::problem::Problem;
use super::read::{cookie_token, id_of};
use super::save::{content_type, refuse_compressed};
use crate::paste::TokenHash;
use crate::store::Reason;
use crate::view::{self, MessagePage};

/// A form to delete by holds two short fields.
const FORM_LIMIT: usize = 16 * 1024;

/// `DELETE /{id}`.
pub(crate) fn delete(
    asker: &Asker<'_>,
    request: &HttpRequest,
    segment: &str,
) -> Result<HttpResponse, Problem> {
    remove(asker, request, segment, None)
}

/// `POST /{id}`.
pub(crate) async fn delete_by_form(
    asker: &mut Asker<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    segment: &str,
) -> Result<HttpResponse, Problem> {
    refuse_compressed(request)?;
    let body = collect(asker, request, payload, FORM_LIMIT, |_| FORM_LIMIT).await?;
    asker.look_again()?;
    let form = DeleteForm::parse(content_type(request), &body)?;
    if !form.delete {
        return Err(Problem::NothingToDo);
    }
    remove(asker, request, segment, form.token.as_deref())
}

fn remove(
    asker: &Asker<'_>,
    request: &HttpRequest,
    segment: &str,
    field: Option<&str>,
) -> Result<HttpResponse, Problem> {
    let service = asker.service;
    let id = id_of(asker, segment)?;
    let now = service.now();
    let paste = asker.peek(id)?;
    let token = presented_token(request, field);
    let is_own = token.map(|token| paste.token().matches(&TokenHash::of(token)));
    match (Bearer::of(request, service.operator), is_own) {
        (Bearer::Operator, _) | (_, Some(true)) => {}
        (Bearer::Nobody, None) => return Err(Problem::NoToken),
        // A guess, like that of an id.
        (Bearer::Nobody | Bearer::Stranger, Some(false)) => {
            asker.missed();
            return Err(Problem::WrongToken);
        }
        (Bearer::Stranger, None) => {
            asker.missed();
            return Err(Problem::NotOperator);
        }
    }
    // Between the look and the removal another may have deleted it: then it is gone, and says so.
    service.store.take(now, id, Reason::Deleted)?;
    Ok(deleted(request, segment))
}

/// What was sent as the paste's token.
fn presented_token<'a>(request: &'a HttpRequest, field: Option<&'a str>) -> Option<&'a str> {
    let header = || {
        request
            .headers()
            .get(X_TOKEN)
            .and_then(|token| token.to_str().ok())
    };
    field.or_else(header).or_else(|| own_cookie_token(request))
}

/// The cookie's token, unless a browser says that the request was made by a page of somebody else's: a neighbour on the
/// same domain may make it send the cookie.
fn own_cookie_token(request: &HttpRequest) -> Option<&str> {
    let is_own = |site: &HeaderValue| site == "same-origin" || site == "none";
    let site = request.headers().get("sec-fetch-site");
    cookie_token(request).filter(|_| site.is_none_or(is_own))
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
                .body(view::message(&page))
        }
        Wants::Json | Wants::Text => answer
            .insert_header((CONTENT_TYPE, TEXT))
            .body("Deleted.\n"),
    }
}
