//! The host a client says it reached: the name in the links it gets back.
//!
//! Invariants: what passes is a host name or an address with an optional port, and nothing that could end a header, a
//! line or a path. It is only ever shown to the client that sent it: no answer that names it may be used again
//! by a cache without asking.

use std::net::SocketAddr;

use actix_web::HttpRequest;
use actix_web::http::header::HOST;
use actix_web::http::uri::Authority;

use super::error::RequestError;
use crate::config::is_authority;

/// Longest host with a port: a DNS name has 253 characters.
const LONGEST: usize = 260;

/// The host in the request's target if it names one (RFC 9112, section 3.2.2), else the Host header; checked. Without
/// both (HTTP/1.0) it is `local`, the address that the server listens on.
pub(crate) fn host(request: &HttpRequest, local: SocketAddr) -> Result<String, RequestError> {
    let target = request.uri().authority().map(Authority::as_str);
    let header = || {
        let host = request.headers().get(HOST)?;
        Some(host.to_str().unwrap_or_default())
    };
    match target.or_else(header) {
        None => Ok(local.to_string()),
        Some(host) if is_host(host) => Ok(host.to_owned()),
        Some(_) => Err(RequestError::Host),
    }
}

fn is_host(host: &str) -> bool {
    host.len() <= LONGEST && is_authority(host)
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
