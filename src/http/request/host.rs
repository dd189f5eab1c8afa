//! The host that the client addressed. The links in the response are built from it.
//!
//! Invariants:
//! - An accepted host is a host name or an IP address with an optional port. It contains nothing that could end a
//!   header, a line or a path.
//! - A host is shown only to the client that sent it. A cache must revalidate every response that contains it.

use std::borrow::Cow;
use std::net::SocketAddr;

use actix_http::HttpMessage as _;
use actix_web::http::header::HOST;
use actix_web::http::uri::Authority;

use super::error::RequestError;
use crate::config::is_authority;

/// A DNS name has at most 253 characters, and a port adds six.
const MAX_LENGTH: usize = 260;

/// The host in the request target (RFC 9112, section 3.2.2), or else in the `Host` header.
/// Without both (HTTP/1.0) it is `local`, the address the server listens on.
///
/// # Errors
/// If the host is not a valid authority.
pub(crate) fn host(
    request: &actix_http::Request,
    local: SocketAddr,
) -> Result<Cow<'_, str>, RequestError> {
    let target = request.uri().authority().map(Authority::as_str);
    let header = || {
        let host = request.headers().get(HOST)?;
        Some(std::str::from_utf8(host.as_bytes()).unwrap_or_default())
    };
    match target.or_else(header) {
        None => Ok(Cow::Owned(local.to_string())),
        Some(host) if is_host(host) => Ok(Cow::Borrowed(host)),
        Some(_) => Err(RequestError::Host),
    }
}

fn is_host(host: &str) -> bool {
    host.len() <= MAX_LENGTH && is_authority(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_with_an_optional_port() {
        for host in [
            "localhost",
            "paste.example.org:8088",
            "127.0.0.1:80",
            "[::1]:8088",
            "[2001:db8::1]",
            "a_b-c.d",
        ] {
            assert!(is_host(host), "{host}");
        }
        let long = "a".repeat(300);
        for host in [
            "",
            ":80",
            "a b",
            "a/b",
            "a\"b",
            "user@host",
            "host:",
            "host:x",
            "host:99999",
            "host:+80",
            "[::1",
            "[x]",
            "a:1:2",
            "é",
            &long,
        ] {
            assert!(!is_host(host), "{host}");
        }
    }
}
