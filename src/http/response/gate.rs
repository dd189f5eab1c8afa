//! The pages that ask for a key or for a paste's token, and the cookie of a key.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::SET_COOKIE;

use crate::account::Principal;
use crate::app::Unauthorized;
use crate::http::error::{AccessError, ApiError};
use crate::http::problem::Row;
use crate::http::request::{Request, ResponseFormat, key_cookie_name, request_key_cookie};
use crate::http::response::headers::{HTML, NO_STORE, respond, respond_error};
use crate::page::{self, LoginPage, TokenPage};
use crate::paste::Timestamp;

/// The longest time that a browser keeps a key, in seconds: 30 days.
const MAX_AGE: u64 = 30 * 24 * 3600;

/// Makes the page. `to` is the path that the browser comes back to, `holder` the name of the key that it has, and
/// `error` the reason why it needs another.
pub(crate) fn login_page(
    request: &Request<'_>,
    to: &str,
    holder: Option<&str>,
    error: Option<AccessError>,
) -> HttpResponse {
    let mut row = error.map(AccessError::row);
    let sentence = row.as_ref().map(Row::page_sentence);
    let is_complaint = matches!(
        error,
        Some(AccessError::WrongKey(_) | AccessError::EmptyKey(_))
    );
    let page = page::to_html(&LoginPage {
        site: request.site,
        to,
        holder,
        sentence: sentence.filter(|_| !is_complaint),
        complaint: sentence.filter(|_| is_complaint),
    });
    let mut response = match &mut row {
        Some(row) => respond_error(row, HTML),
        None => respond(StatusCode::OK, HTML, NO_STORE),
    };
    if error.is_some() && request_key_cookie(request).is_some() {
        response.append_header((SET_COOKIE, no_key_cookie(request)));
    }
    response.body(page)
}

/// Returns the `Set-Cookie` that stores a key, at most until its end.
pub(crate) fn key_cookie(
    request: &Request<'_>,
    key: &str,
    principal: &Principal,
    now: Timestamp,
) -> String {
    let end = match principal {
        Principal::Key(key) => key.grant.end.timestamp(),
        _ => None,
    };
    let age = end.map_or(MAX_AGE, |end| end.since(now).as_secs().min(MAX_AGE));
    set_cookie(request, key, age)
}

/// Returns the `Set-Cookie` that removes the key.
pub(crate) fn no_key_cookie(request: &Request<'_>) -> String {
    set_cookie(request, "", 0)
}

fn set_cookie(request: &Request<'_>, value: &str, age: u64) -> String {
    let (is_https, base_path) = (request.is_https(), request.base_path());
    let name = key_cookie_name(is_https, base_path);
    let path = if base_path.is_empty() { "/" } else { base_path };
    let secure = if is_https { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; HttpOnly; SameSite=Lax; Max-Age={age}{secure}")
}

/// Asks a browser for the token that `action` needs. Any other client gets the error.
pub(crate) fn ask_for_token(
    request: &Request<'_>,
    action: &str,
    error: ApiError,
) -> Result<HttpResponse, ApiError> {
    let is_page = request.format == ResponseFormat::Html;
    let is_wrong = match error {
        ApiError::Unauthorized(Unauthorized::NoToken) if is_page => false,
        ApiError::Unauthorized(Unauthorized::WrongToken) if is_page => true,
        error => return Err(error),
    };
    let mut row = error.row();
    let complaint = is_wrong.then(|| row.page_sentence());
    let page = page::to_html(&TokenPage {
        site: request.site,
        action,
        complaint,
    });
    Ok(respond_error(&mut row, HTML).body(page))
}
