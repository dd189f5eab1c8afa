//! The credentials of a request that tell who its client is, and the accounts that they are compared with.
//!
//! A client shows a key as `Authorization: Bearer`, alone in `Authorization`, as the password of `Basic`, or in the
//! cookie that the login page sets. A trusted proxy names a user in the header that the operator chose.
//! Invariants: texts are compared as hashes, in constant time. The header of a user counts only from a trusted proxy,
//! and only if it occurs once. Over HTTPS only the cookie counts that no other host can set (`__Host-`).
//! Cost: two header look-ups on a server without keys.

use std::borrow::Cow;
use std::collections::HashMap;

use actix_web::http::header::{HeaderMap, HeaderName};
use parking_lot::RwLock;

use super::client::ClientResolver;
use super::credentials::{Authorization, cookies};
use super::error::RequestError;
use super::value::Request;
use crate::account::{InstanceAccess, KeyRing, Principal, Right, UserName, is_key, is_whole_key};
use crate::config::ListFile;
use crate::paste::{Timestamp, TokenHash};

/// Whom a request claims to come from.
pub(crate) enum Claim<'a> {
    /// Nothing, or to be an owner, whose secret is compared with the pastes that the request names.
    Nothing,
    /// The text of a key.
    Key {
        text: Cow<'a, str>,
        source: KeySource,
    },
    /// A bearer token that is not a key, and perhaps the operator's.
    Bearer(&'a str),
    /// A user whom a trusted proxy knows.
    User(UserName),
}

/// Where a request has its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// In a header that only a program sets.
    Explicit,
    /// In `Authorization: Basic`, which a browser repeats by itself.
    Basic,
    Cookie,
}

/// The accounts of a server; one for the process.
pub(crate) struct Accounts {
    pub(crate) access: InstanceAccess,
    /// The hash of the operator's token, if there is one.
    pub(crate) operator: Option<TokenHash>,
    /// A reload replaces this value as a whole.
    pub(crate) keys: RwLock<KeyRing>,
    pub(crate) file: Option<ListFile>,
    /// The accounts of the users who sent a request since the start, by their networks.
    pub(crate) users: RwLock<HashMap<u64, String>>,
    /// The header in which trusted proxies name the user.
    pub(crate) user_header: Option<HeaderName>,
}

impl Accounts {
    /// Returns whom the request claims to come from. An explicit credential counts before an ambient one. A password
    /// that is not a key may be meant for a proxy, and claims nothing.
    ///
    /// # Errors
    /// If a key or an owner's secret is sent in a wrong way. Ignoring it would act against its sender's intention.
    pub(crate) fn claim<'a>(
        &self,
        request: &Request<'a>,
        clients: &ClientResolver,
    ) -> Result<Claim<'a>, RequestError> {
        let headers = request.headers();
        let key = |text, source| Ok(Claim::Key { text, source });
        match Authorization::of(headers) {
            Authorization::Misplaced => return Err(RequestError::MisplacedSecret),
            Authorization::Key(text) => return key(text.into(), KeySource::Explicit),
            Authorization::Bearer(token) => return Ok(Claim::Bearer(token)),
            Authorization::Owner(_) => return Ok(Claim::Nothing),
            Authorization::Basic(password) if is_key(&password) => {
                return key(password.into(), KeySource::Basic);
            }
            Authorization::Basic(_) | Authorization::Token(_) | Authorization::Nothing => {}
        }
        if self.file.is_some()
            && let Some(text) = key_cookie(request)
        {
            return key(text.into(), KeySource::Cookie);
        }
        let header = self.user_header.as_ref();
        let user = header.filter(|_| clients.is_proxy(request.peer()));
        let user = user.and_then(|header| user_in(headers, header));
        Ok(user.map_or(Claim::Nothing, Claim::User))
    }

    /// Returns the number of keys.
    pub(crate) fn keys(&self) -> usize {
        self.keys.read().len()
    }

    /// Returns true if no client but the operator can have the rights that this access leaves to keys.
    pub(crate) fn lets_no_one_in(&self) -> bool {
        self.access != InstanceAccess::Open && self.user_header.is_none() && self.keys() == 0
    }

    /// Returns true if everyone may read and no one may save, and this is the right to save.
    pub(crate) fn is_read_only(&self, right: Right) -> bool {
        right == Right::Save && self.access == InstanceAccess::SaveByKey && self.lets_no_one_in()
    }

    /// Returns the holder of this key.
    pub(crate) fn holder(&self, text: &str, now: Timestamp) -> Option<Principal> {
        let keys = self.keys.read();
        keys.find(text, now).map(|key| Principal::Key(key.clone()))
    }

    /// Returns true if this is the operator's token.
    pub(crate) fn is_operator(&self, token: &str) -> bool {
        self.operator
            .is_some_and(|operator| operator.matches(&TokenHash::of(token)))
    }
}

/// The name of the cookie with a key. No other host can set the first one, and no server without TLS the second.
pub(crate) fn key_cookie_name(is_https: bool, base_path: &str) -> &'static str {
    match (is_https, base_path) {
        (true, "") => "__Host-key",
        (true, _) => "__Secure-key",
        (false, _) => "key",
    }
}

/// The key in the cookie, if there is one.
pub(crate) fn key_cookie<'a>(request: &Request<'a>) -> Option<&'a str> {
    let name = key_cookie_name(request.is_https(), request.base_path());
    key_in(request.headers(), name)
}

fn key_in<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    cookies(headers)
        .filter_map(|cookie| cookie.strip_prefix(name)?.strip_prefix('='))
        .find(|text| is_whole_key(text))
}

/// The user in a header that occurs once.
fn user_in(headers: &HeaderMap, header: &HeaderName) -> Option<UserName> {
    let mut values = headers.get_all(header);
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    std::str::from_utf8(value.as_bytes()).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{COOKIE, HeaderValue};

    use super::*;

    const KEY: &str = "tbk_0123456789abcdefghijkl";

    #[test]
    fn over_https_only_the_cookie_counts_that_no_other_host_can_set() {
        for (cookies, is_https, expected) in [
            (format!("key={KEY}"), false, Some(KEY)),
            (format!("key={KEY}"), true, None),
            (format!("a=b; __Host-key={KEY}; key=x"), true, Some(KEY)),
            (format!("__Host-key={KEY}"), false, None),
            (format!("xkey={KEY}"), false, None),
            (format!("key={}", &KEY[..25]), false, None),
            (format!("key={}", "x".repeat(8192)), false, None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::try_from(&cookies).unwrap());
            let name = key_cookie_name(is_https, "");
            assert_eq!(key_in(&headers, name), expected, "{cookies:.60}");
        }
    }

    #[test]
    fn a_header_that_names_two_users_names_none() {
        let header = HeaderName::from_static("remote-user");
        let mut headers = HeaderMap::new();
        assert_eq!(user_in(&headers, &header), None);
        headers.append(header.clone(), HeaderValue::from_static("alice"));
        assert_eq!(user_in(&headers, &header), "alice".parse().ok());
        headers.append(header.clone(), HeaderValue::from_static("bob"));
        assert_eq!(user_in(&headers, &header), None);
    }
}
