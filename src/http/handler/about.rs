//! What is about a paste and not its content: where a short link leads, the address as a QR code, the languages, and
//! for the owner the counts of reads.
//!
//! Invariants: none of them is a read, and only the owner sees the counts. Only a paste that exists has a QR code. A
//! paste that is not shown as text has no page of languages.
//! A wait for the next view looks every five seconds, on every tier: that takes no list of those to be woken, and nothing
//! while none waits. Between two looks it holds no content.

use std::future::pending;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, RETRY_AFTER, SET_COOKIE};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::ProblemType as T;
use crate::http::request::{RequestError, ResponseFormat, query};
use crate::http::response::{
    NO_STORE, PRIVATE, PasteCounts, SVG, ask_for_token, json_response, link_page, no_content,
    owner_cookie, page_or_text, respond, see_other,
};
use crate::http::transfer::{action_form, wait};
use crate::page::{self, LanguagePage, PasteTimes, StatsPage};
use crate::paste::{Access, Encoding, Expiry, PasteId, ReadsLeft, StoredPaste};
use crate::store::StoreError;

/// The longest wait for a view. Proxies give up after it.
const LONGEST_WAIT: u64 = 600;

/// The time between two looks whether a paste was viewed.
const LOOK: Duration = Duration::from_secs(5);

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

/// Handles `GET` and `HEAD` of `/{id}/stats`, and of that of the JSON API.
pub(crate) async fn stats(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    query::reject_unknown(request.query(), &["wait", "reads"])?;
    let text = request.route.param;
    let id = context.id(text)?;
    let mut stored = context.peek(id).await?;
    if let Err(error) = context.authorize_owner(&stored, None) {
        return ask_for_token(&request, &format!("/{text}/stats"), error);
    }
    if let Some(time) = query::value(request.query(), "wait")? {
        match Box::pin(next_view(context, id, stored, &time)).await? {
            Some(viewed) => stored = viewed,
            None => return Ok(no_content()),
        }
    }
    let now = context.now();
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

/// Waits until the paste was viewed, or until it ended, which is an error. Returns `None` if neither happens in this time.
async fn next_view(
    context: &RequestContext<'_>,
    id: PasteId,
    stored: StoredPaste,
    time: &str,
) -> Result<Option<StoredPaste>, ApiError> {
    let (state, charges) = (context.state, context.charges);
    let invalid = || T::InvalidValue.says(NOT_A_WAIT);
    let time = time.parse().ok().and_then(Expiry::seconds);
    let time = time.filter(|it| *it <= LONGEST_WAIT).ok_or_else(invalid)?;
    let known = match query::value(context.request.query(), "reads")? {
        Some(reads) => query::whole_number(&reads).ok_or_else(invalid)?,
        None => stored.reads(),
    };
    // Not the clock of the request, which stands still while this is not polled again.
    let mut now = state.clock.elapsed();
    let (end, handle) = (now + Duration::from_secs(time), &charges.connection.handle);
    let overload = &state.overload;
    let transfer = overload.start_wait(handle, now, charges.client(), id.bits())?;
    let is_viewed = |stored: &StoredPaste| stored.reads() != known;
    if is_viewed(&stored) {
        return Ok(Some(stored));
    }
    drop(stored);
    while now < end {
        context.load_permit.take();
        let waited = wait(state, &transfer, end.min(now + LOOK), pending::<()>()).await;
        waited.map_err(|_| T::Busy.says(ENDED_EARLY).header(RETRY_AFTER, "2"))?;
        now = state.clock.elapsed();
        match context.peek(id).await {
            // The next look will do.
            Err(ApiError::Overloaded) => {}
            Err(error) => return Err(error),
            Ok(stored) => {
                context.authorize_owner(&stored, None)?;
                if is_viewed(&stored) {
                    return Ok(Some(stored));
                }
            }
        }
    }
    Ok(None)
}

const NOT_A_WAIT: &str =
    "`wait` is at most `10m`, as in `?wait=9m`, and `reads` the number of views that you know of.";

const ENDED_EARLY: &str = "The wait ended early: the server stops or needs the room, or you wait for this paste elsewhere. Wait again.";

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
