//! The credentials in a request's headers (see [`crate::app::Credentials`]).
//!
//! Invariants: the operator's token is kept as a hash and compared in constant time. `Authorization` never holds the
//! token of a paste.

use actix_web::http::header::{AUTHORIZATION, COOKIE, HeaderMap, ORIGIN};

use super::header_names::X_TOKEN;
use crate::app::Bearer;
use crate::paste::TokenHash;

/// Cookies of the paste's name that are read from a request: together they count as one attempt.
const MOST_COOKIES: usize = 8;

/// What `Authorization: Bearer …` (RFC 6750, section 2.1) makes of a client, given the hash of the operator's token.
pub(crate) fn bearer(headers: &HeaderMap, operator: Option<TokenHash>) -> Bearer {
    let presented = headers
        .get(AUTHORIZATION)
        .and_then(|value| bearer_token(value.as_bytes()));
    match (operator, presented) {
        (None, _) | (_, None) => Bearer::Absent,
        (Some(operator), Some(token)) if operator.matches(&TokenHash::of(token)) => {
            Bearer::Operator
        }
        (Some(_), Some(_)) => Bearer::Wrong,
    }
}

/// The token of a value that has the scheme, in whatever case (RFC 9110, section 11.1); what is no text matches nothing.
fn bearer_token(value: &[u8]) -> Option<&str> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = value.split_at_checked(SCHEME.len())?;
    scheme
        .eq_ignore_ascii_case(SCHEME)
        .then(|| std::str::from_utf8(token).unwrap_or_default().trim())
}

/// The token in the header made for it.
pub(crate) fn header_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(X_TOKEN)?.to_str().ok()
}

/// What may be the token that a browser got when it saved this paste, in the cookie that it sends to this paste alone.
/// Other programs of this host and its neighbours may have set cookies of the same name, and none says whose it is.
pub(crate) fn cookie_tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(COOKIE)
        .flat_map(|value| value.to_str())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().strip_prefix("token="))
        .take(MOST_COOKIES)
}

/// Whether no browser says that a page of another origin made it send this request. A neighbour on the same site could:
/// its requests carry cookies however strict they are.
///
/// To servers without TLS a browser names no site, and the origin only of pages that allow it. Our pages do not, so their
/// forms come with the origin `null`. It has to be believed, although a neighbour can hide behind it.
pub(crate) fn is_same_origin(headers: &HeaderMap, is_own: impl FnOnce(&str) -> bool) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin" || site == "none";
    }
    match headers.get(ORIGIN) {
        None => true,
        Some(origin) if origin == "null" => true,
        Some(origin) => origin.to_str().is_ok_and(is_own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_follows_its_scheme() {
        for (value, token) in [
            (&b"Bearer abc"[..], Some("abc")),
            (b"bearer  abc ", Some("abc")),
            (b"BEARER abc", Some("abc")),
            (b"Bearer \xff", Some("")),
            (b"Bearer ", Some("")),
            (b"Bearer", None),
            (b"Bearerabc", None),
            (b"Basic YWJj", None),
            (b"", None),
        ] {
            assert_eq!(bearer_token(value), token, "{value:?}");
        }
    }
}
