//! `/{id}/stats`: how often a paste was read or a link followed, for whoever has its token.
//!
//! What it must not know: how counts are kept, and how a chart is drawn.
//! Invariants: only the owner sees counts; to look at them is not to read.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, dev};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::handler::action::form;
use crate::http::request::format::ResponseFormat;
use crate::http::request::owner::{authorize_owner, cookie, is_from_here};
use crate::http::response::headers::{HTML, JSON, NO_STORE, TEXT};
use crate::http::response::paste_times::PasteTimes;
use crate::page::{self, StatsPage, TokenPage};
use crate::paste::{Access, ReadsLeft};

/// `GET` and `HEAD`.
pub(crate) fn stats(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    text: &str,
) -> Result<HttpResponse, ApiError> {
    let service = context.service;
    let id = context.id(text)?;
    let kept = context.peek(id)?;
    if let Err(error) = authorize_owner(context, request, kept.token(), None) {
        return ask(request, &format!("/{text}/stats"), error);
    }
    let now = service.now();
    let counts = service.store.counts(now, id)?;
    let span = PasteTimes::of(service, kept.saved(), kept.deadline());
    let page = StatsPage {
        id: text,
        url: &format!("{}/{text}", service.base_url(request)?),
        is_link: kept.access() == Access::Link,
        total: kept.reads(),
        by_hour: &counts.by_hour(now),
        by_day: &counts.by_day(now),
        age: span.age,
        expires_in: span.expires_in,
        expires_at: span.expires_at,
        left: kept.access().reads_left().map(ReadsLeft::get),
    };
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, NO_STORE));
    Ok(match ResponseFormat::of(request.headers()) {
        ResponseFormat::Html => answer
            .insert_header((CONTENT_TYPE, HTML))
            .body(page::stats(&page)),
        ResponseFormat::Text => answer
            .insert_header((CONTENT_TYPE, TEXT))
            .body(page::stats_text(&page)),
        ResponseFormat::Json => answer.insert_header((CONTENT_TYPE, JSON)).body(
            serde_json::json!({
                "kind": if page.is_link { "link" } else { "paste" },
                "reads": page.total,
                "reads_left": page.left,
                "by_hour": page.by_hour,
                "by_day": page.by_day,
                "saved": service.epoch_millis(kept.saved()),
                "expires": page.expires_at,
            })
            .to_string(),
        ),
    })
}

/// `POST` of `/{id}/stats` and `/{id}/edit` with the token in a form: a browser gets it as a cookie and comes again.
pub(crate) async fn enter(
    context: &mut RequestContext<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    text: &str,
    page: &str,
) -> Result<HttpResponse, ApiError> {
    let form = form(context, request, payload).await?;
    let kept = context.peek(context.id(text)?)?;
    let address = format!("/{text}/{page}");
    let token = form.token.as_deref();
    if let Err(error) = authorize_owner(context, request, kept.token(), token) {
        return ask(request, &address, error);
    }
    let base_url = context.service.base_url(request)?;
    let mut answer = HttpResponse::SeeOther();
    // A page elsewhere must not make a browser the owner of what it chose.
    if let Some(token) = token.filter(|_| is_from_here(context, request)) {
        let cookie = cookie(context, &base_url, text, token, kept.deadline());
        answer.insert_header((SET_COOKIE, cookie));
    }
    Ok(answer
        .insert_header((LOCATION, address))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, TEXT))
        .body("Come again.\n"))
}

/// A browser without the token is asked for it, everybody else told.
pub(crate) fn ask(
    request: &HttpRequest,
    action: &str,
    error: ApiError,
) -> Result<HttpResponse, ApiError> {
    let is_for_a_person = ResponseFormat::of(request.headers()) == ResponseFormat::Html;
    let complaint = match error {
        ApiError::NoToken if is_for_a_person => None,
        ApiError::WrongToken if is_for_a_person => Some(error.sentence()),
        error => return Err(error),
    };
    let page = page::ask_token(&TokenPage {
        action,
        heading: "Only for who saved it",
        sentence: "This page is for who has the paste’s token, which came when it was saved.",
        complaint: complaint.as_deref(),
    });
    let status = match complaint {
        None => StatusCode::UNAUTHORIZED,
        Some(_) => StatusCode::FORBIDDEN,
    };
    let mut answer = HttpResponse::build(status);
    for header in error.headers() {
        answer.insert_header(header);
    }
    Ok(answer
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, HTML))
        .body(page))
}
