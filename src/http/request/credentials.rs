//! The credentials in a request's headers (see [`crate::app::Credentials`]).
//!
//! Invariants: the operator's token is stored as a hash and compared in constant time. `Authorization` carries the token
//! of a paste only without a scheme, as rustypaste has it.

use actix_web::http::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderValue, ORIGIN};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::error::RequestError;
use super::header_names::X_TOKEN;
use crate::account::is_whole_key;
use crate::app::Bearer;
use crate::paste::{OwnerSecret, TokenHash};

/// The maximum number of token cookies read from one request. Together they count as one attempt.
const MAX_COOKIES: usize = 8;

/// Compares `Authorization: Bearer …` (RFC 6750, section 2.1) with the hash of the operator's token.
pub(crate) fn bearer(headers: &HeaderMap, operator: Option<TokenHash>) -> Bearer {
    let presented = headers
        .get(AUTHORIZATION)
        .and_then(|value| bearer_token(value.as_bytes()));
    match (operator, presented) {
        (_, None) => Bearer::Absent,
        (Some(operator), Some(token)) if operator.matches(&TokenHash::of(token)) => {
            Bearer::Operator
        }
        // An owner's secret is no attempt to be the operator.
        (_, Some(token)) if OwnerSecret::parse(token).is_some() => Bearer::Absent,
        // Without an operator's token, every token is wrong. So a client cannot find out whether there is one.
        (_, Some(_)) => Bearer::Wrong,
    }
}

/// The owner's secret in `Authorization: Bearer tbo_…`, or `None` if the token is no such secret.
///
/// # Errors
/// If the token begins like a secret and is none. Ignoring it would save a paste that is in no list.
pub(crate) fn bearer_owner(headers: &HeaderMap) -> Result<Option<OwnerSecret>, RequestError> {
    let token = headers
        .get(AUTHORIZATION)
        .and_then(|value| bearer_token(value.as_bytes()))
        .filter(|token| token.starts_with(OwnerSecret::PREFIX));
    let secret = token.map(|token| OwnerSecret::parse(token).ok_or(RequestError::OwnerSecret));
    secret.transpose()
}

/// The token after the scheme, whose case is ignored (RFC 9110, section 11.1). A token that is not UTF-8 becomes empty,
/// so it matches nothing.
pub(super) fn bearer_token(value: &[u8]) -> Option<&str> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = value.split_at_checked(SCHEME.len())?;
    scheme
        .eq_ignore_ascii_case(SCHEME)
        .then(|| std::str::from_utf8(token).unwrap_or_default().trim())
}

/// Compares the password of `Authorization: Basic …` (RFC 7617) with the hash of the operator's token. The user name is
/// ignored. A browser sends this header with every request, whichever page caused the request.
pub(crate) fn basic(headers: &HeaderMap, operator: Option<TokenHash>) -> Bearer {
    const SCHEME: &[u8] = b"basic ";
    let value = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let Some((scheme, encoded)) = value.and_then(|value| value.split_at_checked(SCHEME.len()))
    else {
        return Bearer::Absent;
    };
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return Bearer::Absent;
    }
    let decoded = STANDARD.decode(encoded.trim_ascii()).ok();
    let decoded = decoded.and_then(|decoded| String::from_utf8(decoded).ok());
    let password = decoded.as_deref().and_then(|text| text.split_once(':'));
    match (operator, password) {
        (Some(operator), Some((_, token))) if operator.matches(&TokenHash::of(token)) => {
            Bearer::Operator
        }
        (_, _) => Bearer::Wrong,
    }
}

/// The token of a paste in `X-Token`, or else in an `Authorization` of one word.
pub(crate) fn header_token(headers: &HeaderMap) -> Option<&str> {
    let value = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let is_token = |value: &&str| !value.is_empty() && !value.contains(' ') && !is_whole_key(value);
    value(X_TOKEN).or_else(|| value(AUTHORIZATION).filter(is_token))
}

/// The cookies that may hold the token of the requested paste.
/// A browser gets such a cookie when it saves a paste, limited to the path of that paste. Other programs on this host
/// or on sibling hosts may set cookies of the same name. A request does not tell which program set a cookie.
pub(crate) fn cookie_tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(COOKIE)
        .flat_map(|value| value.to_str())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().strip_prefix("token="))
        .take(MAX_COOKIES)
}

/// Returns whether the request came from a page of this origin, from the user directly, or from a client that is not a
/// browser.
/// Cookies do not prove this. A page on a sibling host is same-site, so even `SameSite=Strict` cookies accompany its
/// requests.
///
/// Browsers omit `Sec-Fetch-Site` for servers without TLS, so only `Origin` is left there. The pages of tidebin set
/// `Referrer-Policy: same-origin`, so their forms send it. `null` is the origin of a sandbox, or of a page that hides
/// where it comes from.
pub(crate) fn is_same_origin(headers: &HeaderMap, is_own: impl FnOnce(&str) -> bool) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin" || site == "none";
    }
    match headers.get(ORIGIN) {
        None => true,
        Some(origin) => origin.to_str().is_ok_and(is_own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_token_is_the_password_of_basic_whatever_the_name_is() {
        let operator = Some(TokenHash::of("secret"));
        for (value, expected) in [
            ("Basic b3BlcmF0b3I6c2VjcmV0", Bearer::Operator),
            ("basic OnNlY3JldA==", Bearer::Operator),
            ("Basic b3BlcmF0b3I6d3Jvbmc=", Bearer::Wrong),
            ("Basic c2VjcmV0", Bearer::Wrong),
            ("Basic %%%", Bearer::Wrong),
            ("Basic ", Bearer::Wrong),
            ("Bearer secret", Bearer::Absent),
            ("", Bearer::Absent),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
            assert_eq!(basic(&headers, operator), expected, "{value}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(
            AUTHORIZATION,
            HeaderValue::from_static("Basic OnNlY3JldA=="),
        );
        assert_eq!(basic(&headers, None), Bearer::Wrong);
    }

    #[test]
    fn the_token_of_a_paste_has_no_scheme() {
        for (value, token) in [
            ("abc", Some("abc")),
            ("", None),
            ("Bearer abc", None),
            ("Basic YWJj", None),
            ("tbk_0123456789abcdefghijkl", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
            assert_eq!(header_token(&headers), token, "{value:?}");
            headers.insert(X_TOKEN, HeaderValue::from_static("mine"));
            assert_eq!(header_token(&headers), Some("mine"));
        }
    }

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
