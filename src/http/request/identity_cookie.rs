//! The cookie that makes a browser an owner: it holds the secret of an owner that the server made.
//!
//! Invariants: there is one only over HTTPS, so only for a server with a public URL. No script can read it. Its name
//! makes browsers refuse one that a program of a sibling host or of a server without TLS has set (RFC 6265bis, section
//! 4.1.3). Under a base path, a sibling host can set one nevertheless, as it can for every program there.

use actix_web::http::header::HeaderMap;

use super::credentials::cookies;
use crate::paste::OwnerSecret;

/// The age in seconds: 400 days, the limit of browsers (RFC 6265bis, section 5.5).
const MAX_AGE: u64 = 400 * 24 * 3600;

/// The cookie of a server: its name and its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdentityCookie<'a> {
    name: &'static str,
    path: &'a str,
}

impl<'a> IdentityCookie<'a> {
    /// Returns the cookie of a server below this path, or `None` without TLS.
    pub(crate) fn of(is_https: bool, base_path: &'a str) -> Option<Self> {
        let cookie = match base_path {
            "" => Self {
                name: "__Host-owner",
                path: "/",
            },
            path => Self {
                name: "__Secure-owner",
                path,
            },
        };
        is_https.then_some(cookie)
    }

    /// Returns the secret that a request shows. Of several cookies with this name, the browser sends the one with the
    /// most exact path first, so only the first counts.
    pub(crate) fn read(self, headers: &HeaderMap) -> Option<OwnerSecret> {
        let value = cookies(headers).find_map(|cookie| {
            let (name, value) = cookie.split_once('=')?;
            (name == self.name).then_some(value)
        });
        OwnerSecret::parse(value?)
    }

    /// Returns the `Set-Cookie` that stores this secret.
    pub(crate) fn set(self, secret: &OwnerSecret) -> String {
        self.with(secret.as_str(), MAX_AGE)
    }

    /// Returns the `Set-Cookie` that removes the cookie.
    pub(crate) fn remove(self) -> String {
        self.with("", 0)
    }

    fn with(self, value: &str, age: u64) -> String {
        let Self { name, path } = self;
        format!("{name}={value}; Path={path}; Secure; HttpOnly; SameSite=Lax; Max-Age={age}")
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{COOKIE, HeaderValue};

    use super::*;

    #[test]
    fn only_a_server_with_tls_has_a_cookie_and_a_path_changes_its_name() {
        for (is_https, path, cookie) in [
            (false, "", None),
            (false, "/bin", None),
            (true, "", Some(("__Host-owner", "/"))),
            (true, "/bin", Some(("__Secure-owner", "/bin"))),
        ] {
            let found = IdentityCookie::of(is_https, path);
            assert_eq!(found.map(|cookie| (cookie.name, cookie.path)), cookie);
        }
    }

    #[test]
    fn only_the_first_cookie_of_the_right_name_is_read_and_only_a_secret_counts() {
        let cookie = IdentityCookie::of(true, "").expect("TLS");
        let (one, other) = ("tbo_0123456789012345678901", "tbo_1123456789012345678901");
        let long = "x".repeat(8000);
        for (sent, secret) in [
            (format!("__Host-owner={one}"), Some(one)),
            (
                format!("a=b; __Host-owner={one}; __Host-owner={other}"),
                Some(one),
            ),
            (format!("__Host-owner={long}; __Host-owner={one}"), None),
            (format!("__Secure-owner={one}; owner={one}"), None),
            (format!("__Host-owner=tbo_{long}"), None),
            (format!("__Host-owner; {long}"), None),
            (String::new(), None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_str(&sent).expect("ASCII"));
            let read = cookie.read(&headers);
            assert_eq!(read.as_ref().map(OwnerSecret::as_str), secret);
        }
    }
}
