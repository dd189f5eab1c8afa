//! The host that the client addressed. The links in the response are built from it.
//!
//! Invariants:
//! - An accepted host is a host name or an IP address with an optional port. It contains nothing that could end a
//!   header, a line or a path.
//! - A host is shown only to the client that sent it. A cache must revalidate every response that contains it.

use std::net::Ipv6Addr;

use actix_web::dev::RequestHead;
use actix_web::http::header::HOST;
use actix_web::http::uri::Authority;

use super::error::RequestError;

/// A DNS name has at most 253 characters, and a port adds six.
const MAX_LENGTH: usize = 260;

/// The host in the request target (RFC 9112, section 3.2.2), or else in the `Host` header.
/// Without both (HTTP/1.0) it is `local`, the name of this server on its machine.
///
/// # Errors
/// If the host is not a valid authority.
pub(crate) fn host<'a>(head: &'a RequestHead, local: &'a str) -> Result<&'a str, RequestError> {
    let target = head.uri.authority().map(Authority::as_str);
    let header = || {
        let host = head.headers().get(HOST)?;
        Some(std::str::from_utf8(host.as_bytes()).unwrap_or_default())
    };
    match target.or_else(header) {
        None => Ok(local),
        Some(host) if is_authority(host) => Ok(host),
        Some(_) => Err(RequestError::Host),
    }
}

/// Returns true if the text is a host with an optional port (RFC 3986, section 3.2, without user information).
fn is_authority(text: &str) -> bool {
    // A colon inside the brackets of an IPv6 address does not start a port.
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    text.len() <= MAX_LENGTH && is_host(host) && port.is_none_or(is_port)
}

/// Returns true if the text is a name, an IPv4 address, or an IPv6 address in brackets. Names of containers may have
/// underscores. A name with other letters than ASCII must have its ASCII form, `xn--…`, because headers contain it.
fn is_host(host: &str) -> bool {
    if let Some(address) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    // Every save checks a host, so this is one pass. A name may end with a dot, but no label is empty.
    let mut before = b'.';
    let is_in_place = |byte: u8| match std::mem::replace(&mut before, byte) {
        b'.' => is_in_label(byte),
        _ => is_in_label(byte) || byte == b'.',
    };
    !host.is_empty() && host.bytes().all(is_in_place)
}

fn is_in_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port != 0)
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
            assert!(is_authority(host), "{host}");
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
            assert!(!is_authority(host), "{host}");
        }
    }
}
