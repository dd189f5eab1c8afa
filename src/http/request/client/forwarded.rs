//! The hops in a proxy header: client and proxy addresses, from the nearest to the farthest.
//!
//! Invariants:
//! - An element that is not an address yields `None`. It is never guessed at.
//! - An element of `Forwarded` (RFC 7239) counts only if all of it is well formed.
//!
//! The header is split at every comma, also inside quotes. A client may smuggle a comma into a value that its proxy
//! quotes, such as the host. Each piece then has an unpaired quote, so it is not well formed.
//! Cost: parses in place from the right and only as far as the caller iterates, no allocation.

use std::net::{IpAddr, SocketAddr};

use actix_web::http::header::{HeaderMap, HeaderName};

use crate::limit::CanonicalIp;

/// The addresses in all lines of this header, from the last to the first.
/// An element that is not an address yields `None`. Empty elements are skipped (RFC 9110, section 5.6.1).
pub(crate) fn rightmost_first<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = Option<CanonicalIp>> + 'a {
    let address = match name.as_str() {
        "forwarded" => forwarded_for,
        _ => plain,
    };
    headers
        .get_all(name)
        .rev()
        .flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|element| !element.is_empty())
        .map(move |element| {
            let text = std::str::from_utf8(element).ok()?;
            address(text).map(CanonicalIp::from)
        })
}

/// The address in an element of `X-Forwarded-For` or another such header.
fn plain(element: &str) -> Option<IpAddr> {
    node(unquoted(element).unwrap_or(element))
}

/// The address in the `for` parameter of one element, such as `for="[2001:db8::1]:80";proto=https`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut address = None;
    for pair in element.split(';').map(str::trim) {
        let (name, value) = pair.split_once('=')?;
        let value = unquoted(value).or_else(|| is_token(value).then_some(value))?;
        if name.eq_ignore_ascii_case("for") {
            if address.is_some() {
                return None;
            }
            address = Some(node(value)?);
        } else if !is_token(name) {
            return None;
        }
    }
    address
}

/// The text inside a pair of quotes; `None` if it is not quoted or contains an escape. No address needs one.
fn unquoted(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains(['"', '\\'])).then_some(inner)
}

/// Returns whether this is a token (RFC 9110, section 5.6.2). Colons and brackets are allowed too: proxies write
/// addresses unquoted.
fn is_token(text: &str) -> bool {
    let in_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:[]".contains(&byte);
    !text.is_empty() && text.bytes().all(in_token)
}

/// Parses an address with an optional port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`,
/// `[2001:db8::1]:80`.
fn node(text: &str) -> Option<IpAddr> {
    let bracketed = || {
        Some(IpAddr::V6(
            text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?,
        ))
    };
    let with_port = || text.parse().ok().as_ref().map(SocketAddr::ip);
    let address = text.parse().ok().or_else(bracketed).or_else(with_port);
    // An address with a zone is one of another link.
    address.filter(|_| !text.contains('%'))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    /// The hops of these lines as text, `-` for an element that is not an address.
    fn hops(name: &'static str, lines: &[&[u8]]) -> String {
        let name = HeaderName::from_static(name);
        let mut headers = HeaderMap::new();
        headers.append(
            HeaderName::from_static("x-other"),
            HeaderValue::from_static("192.0.2.9"),
        );
        for line in lines {
            headers.append(name.clone(), HeaderValue::from_bytes(line).unwrap());
        }
        let hops = rightmost_first(&headers, &name);
        let texts: Vec<String> = hops
            .map(|hop| hop.map_or("-".to_owned(), |address| address.ip().to_string()))
            .collect();
        texts.join(" ")
    }

    #[test]
    fn a_list_is_read_from_the_right_over_all_of_its_lines() {
        for (lines, expected) in [
            (&[][..], ""),
            (&[&b""[..], b" , "], ""),
            (&[b"192.0.2.1"], "192.0.2.1"),
            (
                &[b"192.0.2.1, 192.0.2.2 ,\t192.0.2.3"],
                "192.0.2.3 192.0.2.2 192.0.2.1",
            ),
            (
                &[b"192.0.2.1,192.0.2.2", b"192.0.2.3,"],
                "192.0.2.3 192.0.2.2 192.0.2.1",
            ),
        ] {
            assert_eq!(hops("x-forwarded-for", lines), expected);
        }
    }

    #[test]
    fn an_address_may_have_a_port_brackets_and_quotes() {
        for (element, expected) in [
            (&b"192.0.2.1:8080"[..], "192.0.2.1"),
            (b"2001:db8::1", "2001:db8::1"),
            (b"[2001:db8::1]", "2001:db8::1"),
            (b"[2001:db8::1]:443", "2001:db8::1"),
            (b"\"192.0.2.1\"", "192.0.2.1"),
            (b"\"[2001:db8::1]:443\"", "2001:db8::1"),
            (b"::ffff:192.0.2.1", "192.0.2.1"),
            (b"64:ff9b::192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(hops("x-real-ip", &[element]), expected);
        }
    }

    #[test]
    fn an_element_that_is_not_an_address_yields_none() {
        for element in [
            &b"unknown"[..],
            b"_hidden",
            b"localhost",
            b"192.0.2",
            b"192.0.2.01",
            b"192.0.2.1:",
            b"192.0.2.1:99999",
            b"192.0.2.1 192.0.2.2",
            b"192.0.2.1/32",
            b"fe80::1%eth0",
            b"[192.0.2.1]",
            b"[2001:db8::1",
            b"[2001:db8::1]443",
            b"[2001:db8::1]:+1",
            b"\"192.0.2.1",
            b"for=192.0.2.1",
            b"\xff\xfe",
        ] {
            assert_eq!(hops("x-forwarded-for", &[element]), "-", "{element:?}");
        }
        assert_eq!(
            hops("x-forwarded-for", &[b"\xff, 192.0.2.1"]),
            "192.0.2.1 -"
        );
    }

    #[test]
    fn forwarded_lists_its_addresses_after_for() {
        for (lines, expected) in [
            (&[&b"for=192.0.2.1"[..]][..], "192.0.2.1"),
            (
                &[b"For=\"[2001:db8::1]:47\";proto=https, for=192.0.2.1:80;by=203.0.113.43"],
                "192.0.2.1 2001:db8::1",
            ),
            (
                &[b"proto=http; host=\"a.example\" ;FOR=192.0.2.1"],
                "192.0.2.1",
            ),
            (&[b"for=192.0.2.1", b"for=unknown"], "- 192.0.2.1"),
            (&[b"proto=https"], "-"),
            (&[b"192.0.2.1"], "-"),
            (&[b"for=192.0.2.1;for=192.0.2.2"], "-"),
            (&[b"for=\"_gazonk\""], "-"),
            (&[b"for=192.0.2.1;x"], "-"),
        ] {
            assert_eq!(hops("forwarded", lines), expected);
        }
    }

    #[test]
    fn a_comma_smuggled_into_a_quoted_part_adds_no_hop() {
        for line in [
            &b"for=203.0.113.1;host=\"a, for=192.0.2.1\""[..],
            b"for=203.0.113.1;host=\"a, for=192.0.2.1;x=\\\"\"",
            b"for=203.0.113.1;host=\"a, for=192.0.2.1, b\"",
            b"for=203.0.113.1;host=\"a, for=\\\"192.0.2.1\\\"\"",
        ] {
            let first = hops("forwarded", &[line]);
            assert!(first.starts_with('-'), "{first}");
        }
    }
}
