//! The credentials in a request's headers (see [`crate::app::Credentials`]).
//!
//! Invariants: the operator's token is stored as a hash and compared in constant time. `Authorization` carries the
//! token of a paste only without a scheme, as rustypaste has it.

use actix_web::http::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderValue, ORIGIN};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::error::RequestError;
use super::save_option::X_TOKEN;
use crate::account::{is_key, is_whole_key};
use crate::app::Bearer;
use crate::paste::{OwnerSecret, Token, TokenHash};

/// The maximum number of token cookies read from one request. Together they count as one attempt.
const MAX_COOKIES: usize = 8;

/// What `Authorization` shows (RFC 9110, section 11.6.2). It is parsed here alone.
#[derive(PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Authorization<'a> {
    /// Nothing, or something that is meant for another program.
    Nothing,
    /// A word without a scheme: the token of a paste.
    Token(&'a str),
    /// The text of a key, as a bearer token or alone.
    Key(&'a str),
    /// A bearer token that begins like an owner's secret.
    Owner(&'a str),
    /// Any other bearer token (RFC 6750, section 2.1).
    Bearer(&'a str),
    /// The password of `Basic` (RFC 7617), which is empty if the header is malformed. A browser sends it with every
    /// request, whichever page caused the request.
    Basic(String),
    /// A key or an owner's secret in a form in which none is read.
    Misplaced,
}

impl<'a> Authorization<'a> {
    /// Parses the header. The case of a scheme is ignored.
    pub(crate) fn of(headers: &'a HeaderMap) -> Self {
        let Some(value) = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes) else {
            return Self::Nothing;
        };
        match std::str::from_utf8(value).map_or(Self::Nothing, Self::of_text) {
            // One in eight million tokens of pastes begins like this too. `X-Token` carries it.
            Self::Nothing | Self::Token(_) | Self::Bearer(_) | Self::Basic(_)
                if has_secret(value) =>
            {
                Self::Misplaced
            }
            shown => shown,
        }
    }

    fn of_text(value: &'a str) -> Self {
        match value.split_once(' ') {
            None if value.is_empty() => Self::Nothing,
            None if is_whole_key(value) => Self::Key(value),
            None => Self::Token(value),
            // Clients of GitHub write `token`.
            Some((scheme, token))
                if ["bearer", "token"]
                    .iter()
                    .any(|it| scheme.eq_ignore_ascii_case(it)) =>
            {
                match token.trim() {
                    token if is_key(token) => Self::Key(token),
                    token if token.starts_with(OwnerSecret::PREFIX) => Self::Owner(token),
                    token => Self::Bearer(token),
                }
            }
            Some((scheme, encoded)) if scheme.eq_ignore_ascii_case("basic") => {
                let decoded = STANDARD.decode(encoded.trim()).unwrap_or_default();
                let text = std::str::from_utf8(&decoded).ok();
                let parts = text.and_then(|text| text.split_once(':'));
                match parts.map(|(_, password)| password) {
                    Some(password) if is_key(password) => Self::Basic(password.to_owned()),
                    _ if has_secret(&decoded) => Self::Misplaced,
                    password => Self::Basic(password.unwrap_or_default().to_owned()),
                }
            }
            Some(_) => Self::Nothing,
        }
    }
}

/// Returns true if a word in these bytes begins like a key or an owner's secret.
fn has_secret(bytes: &[u8]) -> bool {
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let mut words = bytes.split(|byte| !is_in_word(byte));
    let is_secret = |text: &str| is_key(text) || text.starts_with(OwnerSecret::PREFIX);
    words.any(|word| std::str::from_utf8(word).is_ok_and(is_secret))
}

/// Compares a bearer token with the hash of the operator's token.
pub(crate) fn bearer(headers: &HeaderMap, operator: Option<TokenHash>) -> Bearer {
    match Authorization::of(headers) {
        Authorization::Bearer(token) => compare(token, operator),
        Authorization::Owner(text) if OwnerSecret::parse(text).is_none() => Bearer::Wrong,
        _ => Bearer::Absent,
    }
}

/// Compares the password of `Basic` with the hash of the operator's token. The user name is ignored.
pub(crate) fn basic(headers: &HeaderMap, operator: Option<TokenHash>) -> Bearer {
    match Authorization::of(headers) {
        Authorization::Basic(password) => compare(&password, operator),
        _ => Bearer::Absent,
    }
}

/// Without an operator's token, every token is wrong. So a client cannot find out whether there is one.
fn compare(token: &str, operator: Option<TokenHash>) -> Bearer {
    match operator.is_some_and(|operator| operator.matches(&TokenHash::of(token))) {
        true => Bearer::Operator,
        false => Bearer::Wrong,
    }
}

/// The owner's secret in `Authorization: Bearer tbo_…`, or `None` if the token is no such secret.
///
/// # Errors
/// If the token begins like a secret and is none. Ignoring it would save a paste that is in no list.
pub(crate) fn bearer_owner(headers: &HeaderMap) -> Result<Option<OwnerSecret>, RequestError> {
    match Authorization::of(headers) {
        Authorization::Owner(text) => OwnerSecret::parse(text).map(Some),
        _ => Some(None),
    }
    .ok_or(RequestError::OwnerSecret)
}

/// The token of a paste in `X-Token`, or else in an `Authorization` of one word.
pub(crate) fn header_token(headers: &HeaderMap) -> Option<&str> {
    let own = headers.get(X_TOKEN).and_then(|value| value.to_str().ok());
    own.or_else(|| match Authorization::of(headers) {
        Authorization::Token(token) => Some(token),
        _ => None,
    })
}

/// The cookies with this start. Those named `token` may make the browser the owner of the requested paste: they hold
/// its token. Those named `saved` may hold the token of a paste that this browser has just saved. A browser gets such a
/// cookie when it saves a paste, limited to the path of that paste. Other programs on this host or on sibling hosts may
/// set cookies of the same name. A request does not tell which program set a cookie, so one of another length than a
/// token has is ignored.
pub(crate) fn cookie_tokens<'a>(
    headers: &'a HeaderMap,
    start: &'static str,
) -> impl Iterator<Item = &'a str> {
    cookies(headers)
        .filter_map(move |cookie| cookie.strip_prefix(start))
        .filter(|token| token.len() == Token::LENGTH)
        .take(MAX_COOKIES)
}

/// The cookies of a request, each as `name=value`.
pub(super) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(COOKIE)
        .flat_map(|value| value.to_str())
        .flat_map(|cookies| cookies.split(';'))
        .map(str::trim)
}

/// Returns whether the request came from a page of this origin, from the user directly, or from a client that is not a
/// browser.
/// Cookies do not prove this. A page on a sibling host is same-site, so even `SameSite=Strict` cookies accompany its
/// requests.
///
/// Browsers omit `Sec-Fetch-Site` for servers without TLS, so only `Origin` is left there. The pages of tidebin set
/// `Referrer-Policy: same-origin`, so their forms send it. `null` is the origin of a sandbox, or of a page that hides
/// where it comes from. If a header is sent twice, both have to name this server.
pub(crate) fn is_same_origin(headers: &HeaderMap, is_own: impl Fn(&str) -> bool) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").peekable();
    match sites.peek() {
        Some(_) => sites.all(|site| site == "same-origin" || site == "none"),
        None => {
            let mut origins = headers.get_all(ORIGIN);
            origins.all(|origin| origin.to_str().is_ok_and(&is_own))
        }
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
    fn a_key_is_a_bearer_token_a_password_or_the_whole_header() {
        use Authorization::{Basic, Bearer, Key, Misplaced, Nothing, Owner, Token};
        const KEY: &str = "tbk_0123456789abcdefghijkl";
        const SECRET: &str = "tbo_0123456789abcdefghijkl";
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        for (value, shown) in [
            (String::new(), Nothing),
            ("abc".to_owned(), Token("abc")),
            ("Bearer".to_owned(), Token("Bearer")),
            ("Bearer abc".to_owned(), Bearer("abc")),
            ("bearer  abc".to_owned(), Bearer("abc")),
            (format!("Bearer {KEY}"), Key(KEY)),
            ("BEARER tbk_abc".to_owned(), Key("tbk_abc")),
            (format!("Bearer {SECRET}"), Owner(SECRET)),
            (KEY.to_owned(), Key(KEY)),
            (basic(&format!(":{KEY}")), Basic(KEY.to_owned())),
            (basic("me:tbk_abc"), Basic("tbk_abc".to_owned())),
            (basic("me:secret"), Basic("secret".to_owned())),
            (basic("me"), Basic(String::new())),
            ("Basic %%%".to_owned(), Basic(String::new())),
            (format!("{KEY}x"), Misplaced),
            ("tbk_abc".to_owned(), Misplaced),
            (SECRET.to_owned(), Misplaced),
            (format!("Digest {KEY}"), Misplaced),
            (format!("Token token=\"{KEY}\""), Misplaced),
            (format!("Bearer: {SECRET}"), Misplaced),
            (basic(&format!("{KEY}:")), Misplaced),
            (basic(&format!("me:{SECRET}")), Misplaced),
            (basic(&format!("a:b:{KEY}")), Misplaced),
            (basic(&format!("me:{KEY}")), Basic(KEY.to_owned())),
            (
                format!(
                    "Basic {}",
                    STANDARD.encode([b"\xff:", KEY.as_bytes()].concat())
                ),
                Misplaced,
            ),
            (format!("Basic {KEY}"), Misplaced),
            (format!("Basic me:{KEY}"), Misplaced),
            (format!("Bearer \"{KEY}\""), Misplaced),
            (format!("Bearer \"{SECRET}\""), Misplaced),
            (format!("Bearer\t{KEY}"), Misplaced),
            (format!("Bearer\"{KEY}\""), Misplaced),
            ("notbk_abc".to_owned(), Token("notbk_abc")),
            ("a-tbk_abc".to_owned(), Token("a-tbk_abc")),
            ("Digest username=\"notbk_\"".to_owned(), Nothing),
        ] {
            let mut headers = HeaderMap::new();
            let header = HeaderValue::try_from(&value).unwrap();
            headers.insert(AUTHORIZATION, header);
            assert_eq!(Authorization::of(&headers), shown, "{value:?}");
        }
        let mut headers = HeaderMap::new();
        let bytes = [b"Bearer ", KEY.as_bytes(), b"\xe9"].concat();
        headers.insert(AUTHORIZATION, HeaderValue::from_bytes(&bytes).unwrap());
        assert_eq!(Authorization::of(&headers), Misplaced);
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_static("abc"));
        headers.insert(X_TOKEN, HeaderValue::from_static("mine"));
        assert_eq!(header_token(&headers), Some("mine"));
    }
}
