//! Whoever saved a paste: known by its token.
//!
//! Invariants: only who shows the paste's token may change it, delete it and see its counts, and the operator may delete
//! it; the comparison takes the same time for every wrong one. A token comes as a form field, as `X-Token` or in the
//! paste's own cookie, in this order. `Authorization` is who somebody is and never a paste's token.

use actix_web::HttpRequest;
use actix_web::http::header::{COOKIE, ORIGIN};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::request::bearer::Bearer;
use crate::http::request::host;
use crate::http::response::headers::X_TOKEN;
use crate::paste::{Deadline, TokenHash};

/// Seconds: 400 days, the most that browsers keep a cookie (RFC 6265bis). One without an age goes when they are closed.
const LONGEST_AGE: u64 = 400 * 24 * 3600;

/// Cookies of that name that are looked at in a request: all of them together are one guess.
const MOST_COOKIES: usize = 8;

/// Refuses whoever may not delete the paste of this token; `field` is a token in the request's form.
pub(crate) fn authorize_delete(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    token: &TokenHash,
    field: Option<&str>,
) -> Result<(), ApiError> {
    match Bearer::of(request, context.service.operator) {
        Bearer::Operator => Ok(()),
        Bearer::Nobody => authorize_owner(context, request, token, field),
        Bearer::Stranger => match authorize_owner(context, request, token, field) {
            Err(ApiError::NoToken) => {
                context.charge_miss();
                Err(ApiError::NotOperator)
            }
            judged => judged,
        },
    }
}

/// Refuses whoever does not show this token; a wrong one is a guess, like that of an id.
pub(crate) fn authorize_owner(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    token: &TokenHash,
    field: Option<&str>,
) -> Result<(), ApiError> {
    match presents(context, request, token, field) {
        Some(true) => Ok(()),
        Some(false) => {
            context.charge_miss();
            Err(ApiError::WrongToken)
        }
        None => Err(ApiError::NoToken),
    }
}

/// Whether the paste's own cookie came with the request, so that no token needs asking for.
pub(crate) fn has_cookie(request: &HttpRequest, token: &TokenHash) -> bool {
    right_cookie(request, token).is_some()
}

/// The token in one of the request's cookies, if it is this one.
pub(crate) fn right_cookie<'a>(request: &'a HttpRequest, token: &TokenHash) -> Option<&'a str> {
    cookie_tokens(request).find(|cookie| token.matches(&TokenHash::of(cookie)))
}

/// The cookie that gives a browser a paste's token: for this paste alone, as long as it stays and a browser keeps it.
pub(crate) fn cookie(
    context: &RequestContext<'_>,
    base_url: &str,
    id: &str,
    token: &str,
    deadline: Deadline,
) -> String {
    let secure = if base_url.starts_with("https:") {
        "; Secure"
    } else {
        ""
    };
    let now = context.service.now();
    let age = deadline.timestamp().map_or(LONGEST_AGE, |timestamp| {
        timestamp.since(now).as_secs().clamp(1, LONGEST_AGE)
    });
    format!("token={token}; Path=/{id}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}

/// The token in the header made for it.
fn header_token(request: &HttpRequest) -> Option<&str> {
    request.headers().get(X_TOKEN)?.to_str().ok()
}

/// Whether what was sent as the paste's token is it; none if nothing was.
fn presents(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    token: &TokenHash,
    field: Option<&str>,
) -> Option<bool> {
    if let Some(presented) = field.or_else(|| header_token(request)) {
        return Some(token.matches(&TokenHash::of(presented)));
    }
    let has_cookies = cookie_tokens(request).next().is_some() && is_from_here(context, request);
    has_cookies.then(|| has_cookie(request, token))
}

/// Whether no browser says that a page of somebody else's made it send this request: a neighbour on the same site, whose
/// requests come with cookies however strict they are.
///
/// To servers without TLS a browser tells no site, and the origin only of pages that let it. Ours do not, as they tell
/// nobody where a reader comes from, and so their forms come with the origin `null`: it has to be believed, though a
/// neighbour can hide behind it.
pub(crate) fn is_from_here(context: &RequestContext<'_>, request: &HttpRequest) -> bool {
    let headers = request.headers();
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin" || site == "none";
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return true;
    };
    if origin == "null" {
        return true;
    }
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    let public = context.service.base_url(request);
    let is_public = public.is_ok_and(|public| public == origin);
    is_public || host::of(request).is_ok_and(|host| authority == Some(&*host))
}

/// What may be the token that a browser got when it saved this paste, in the cookie that it sends to this paste alone.
/// Other programs of this host and its neighbours may have set it cookies of the same name, and it does not say which
/// is whose.
fn cookie_tokens(request: &HttpRequest) -> impl Iterator<Item = &str> {
    let cookies = request
        .headers()
        .get_all(COOKIE)
        .flat_map(|value| value.to_str());
    cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().strip_prefix("token="))
        .take(MOST_COOKIES)
}
