//! What is about a paste and not its content: where a short link leads, the address as a QR code, the languages, and
//! for the owner the counts of reads.
//!
//! Invariants: none of them is a read, and only the owner sees the counts. Only a paste that exists has a QR code. A
//! paste that is not shown as text has no page of languages.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, SET_COOKIE};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{RequestError, ResponseFormat};
use crate::http::response::{
    NO_STORE, PRIVATE, PasteCounts, SVG, ask_for_token, json_response, link_page, owner_cookie,
    page_or_text, respond, see_other,
};
use crate::http::transfer::action_form;
use crate::page::{self, LanguagePage, PasteTimes, StatsPage};
use crate::paste::{Access, Encoding, ReadsLeft};
use crate::store::StoreError;

/// Handles `GET` and `HEAD` of `/{id}+`.
pub(crate) async fn preview(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let text = context.request.route.param;
    let stored = context.peek(context.id(text)?).await?;
    match stored.access() {
        Access::Link => link_page(context, text, stored),
        Access::Open | Access::Burn(_) | Access::Locked(_) => Err(ApiError::NotALink),
    }
}

/// Handles `GET` and `HEAD` of `/qr/{id}`.
pub(crate) async fn qr(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let text = context.request.route.param;
    let id = context.id(text)?;
    let base_url = context.state.base_url(&context.request)?;
    context.peek(id).await?;
    // Only a base URL of thousands of characters is too long for a QR code.
    let svg = page::qr(&format!("{base_url}/{text}")).ok_or(StoreError::NotFound)?;
    let (coding, body) = context.request.coding().encode(svg.into_bytes());
    let mut response = respond(StatusCode::OK, SVG, PRIVATE);
    coding.set_headers(&mut response);
    Ok(response.body(body))
}

/// Handles `GET` and `HEAD` of `/{id}/language`.
pub(crate) async fn languages(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, id) = (context.request, context.request.route.param);
    let stored = context.peek(context.id(id)?).await?;
    let is_owner = context.shows_owner(&stored);
    let Ok(paste) = stored.open() else {
        return Err(ApiError::NothingHere);
    };
    if paste.encoding() != Encoding::Utf8 && paste.content().charset().is_none() {
        return Err(ApiError::NothingHere);
    }
    let page = page::to_html(&LanguagePage {
        site: request.site,
        id,
        name: page::name_of(&paste).as_deref().unwrap_or(id),
        named: paste.named_language(),
        is_owner,
    });
    let (coding, body) = request.coding().encode(page.into_bytes());
    let mut response = coding.page();
    response.insert_header((CACHE_CONTROL, NO_STORE));
    Ok(response.body(body))
}

/// Handles `GET` and `HEAD` of `/{id}/stats`.
pub(crate) async fn stats(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request, now) = (context.state, context.request, context.now());
    let text = request.route.param;
    let id = context.id(text)?;
    let stored = context.peek(id).await?;
    if let Err(error) = context.authorize_owner(&stored, None) {
        return ask_for_token(&request, &format!("/{text}/stats"), error);
    }
    let counts = state.app.store.counts(now, id).await?;
    if request.format == ResponseFormat::Json {
        return json_response(&PasteCounts::new(&stored, &counts, now));
    }
    let page = StatsPage {
        site: request.site,
        id: text,
        url: &format!("{}/{text}", state.base_url(&request)?),
        is_link: stored.access() == Access::Link,
        total: stored.reads(),
        by_hour: &counts.by_hour(now),
        by_day: &counts.by_day(now),
        times: PasteTimes::of(now, stored.saved(), stored.deadline()),
        reads_left: stored.access().reads_left().map(ReadsLeft::get),
    };
    Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page))
}

/// `POST` of `/{id}/stats` and `/{id}/edit`.
pub(crate) async fn enter_token(
    context: &mut RequestContext<'_>,
) -> Result<HttpResponse, ApiError> {
    let form = action_form(context).await.map_err(|error| match error {
        // The fields of the editor, encoded as the body of a form for the token.
        ApiError::Request(RequestError::UnknownActionField(_)) => RequestError::NotMultipart.into(),
        error => error,
    })?;
    let request = context.request;
    let id = request.route.param;
    let stored = context.peek(context.id(id)?).await?;
    let token = form.text("token");
    let token = token.as_deref();
    if let Err(error) = context.authorize_owner(&stored, token) {
        return ask_for_token(&request, request.path, error);
    }
    let mut response = see_other(&[request.base_path(), request.path].concat());
    // A page of another origin must not store the token of a paste in a browser.
    if let Some(token) = token.filter(|_| context.is_same_origin()) {
        let cookie = owner_cookie(context, id, token, stored.deadline());
        response.insert_header((SET_COOKIE, cookie));
    }
    Ok(response.body("Token accepted.\n"))
}
