//! The base URL: the public address that links in answers begin with.
//!
//! What it must not know: the paths that are put behind it.
//! Invariants: `http` or `https`, a host, perhaps a port, and nothing else: no path, no trailing slash, no white space
//! and no character that a header or HTML would have to escape. Scheme and host are in lower case.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// The public address: `https://paste.example.org`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

/// Why a text is no base URL. Reads on after the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseUrlError {
    /// It does not begin with `http://` or `https://`.
    Scheme,
    /// It has a user's name or password.
    Credentials,
    /// It goes on after the host: a path, a query, a fragment.
    Path,
    /// The host is missing, or has characters that no host has.
    Host,
    /// The port is not a number from 1 to 65535.
    Port,
}

impl BaseUrl {
    /// The address, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        let lower = text.to_ascii_lowercase();
        let (scheme, rest) = lower.split_once("://").ok_or(BaseUrlError::Scheme)?;
        if !matches!(scheme, "http" | "https") {
            return Err(BaseUrlError::Scheme);
        }
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        if authority.contains('@') {
            return Err(BaseUrlError::Credentials);
        }
        if authority.contains(['/', '?', '#', '\\']) {
            return Err(BaseUrlError::Path);
        }
        let (host, port) = split_port(authority);
        if !is_host(host) {
            return Err(BaseUrlError::Host);
        }
        if !port.is_none_or(is_port) {
            return Err(BaseUrlError::Port);
        }
        Ok(Self(format!("{scheme}://{authority}")))
    }
}

/// Whether this is a host with an optional port (RFC 3986, section 3.2, without user information).
pub(crate) fn is_authority(text: &str) -> bool {
    let (host, port) = split_port(text);
    is_host(host) && port.is_none_or(is_port)
}

/// The host and what follows the colon behind it; the colons of an address in brackets are its own.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let end_of_brackets = authority.rfind(']').unwrap_or(0);
    match authority[end_of_brackets..].find(':') {
        Some(colon) => {
            let (host, port) = authority.split_at(end_of_brackets + colon);
            (host, Some(&port[1..]))
        }
        None => (authority, None),
    }
}

/// A name (underscores occur in those of containers), an IPv4 address, or an IPv6 address in brackets. A name in
/// another script has to be written as `xn--…`, as it goes into a header.
fn is_host(host: &str) -> bool {
    if let Some(address) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let is_label = |label: &str| {
        let mut bytes = label.bytes();
        !label.is_empty() && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    host.strip_suffix('.')
        .unwrap_or(host)
        .split('.')
        .all(is_label)
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port != 0)
}

impl fmt::Display for BaseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "does not begin with http:// or https://",
            Self::Credentials => "has a user name or password",
            Self::Path => "goes on after the host",
            Self::Host => "has no valid host",
            Self::Port => "has no valid port",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_in_lower_case_and_without_its_slash() {
        for (text, kept) in [
            ("https://paste.example.org", "https://paste.example.org"),
            ("https://paste.example.org/", "https://paste.example.org"),
            (
                "HTTP://Paste.Example.org:8088",
                "http://paste.example.org:8088",
            ),
            ("http://127.0.0.1:8088/", "http://127.0.0.1:8088"),
            ("http://[::1]", "http://[::1]"),
            ("http://[2001:db8::1]:80", "http://[2001:db8::1]:80"),
            ("http://paste_bin", "http://paste_bin"),
            (
                "https://xn--bcher-kva.example.",
                "https://xn--bcher-kva.example.",
            ),
        ] {
            let url: BaseUrl = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(url.as_str(), kept);
        }
    }

    #[test]
    fn what_is_no_base_url_says_why() {
        for (text, why) in [
            ("", BaseUrlError::Scheme),
            ("paste.example.org", BaseUrlError::Scheme),
            ("ftp://paste.example.org", BaseUrlError::Scheme),
            ("https:/paste.example.org", BaseUrlError::Scheme),
            (" https://paste.example.org", BaseUrlError::Scheme),
            ("https://a:b@paste.example.org", BaseUrlError::Credentials),
            ("https://paste.example.org/bin", BaseUrlError::Path),
            ("https://paste.example.org//", BaseUrlError::Path),
            ("https://paste.example.org?a", BaseUrlError::Path),
            ("https://paste.example.org#a", BaseUrlError::Path),
            ("https://", BaseUrlError::Host),
            ("https:///", BaseUrlError::Host),
            ("https://:80", BaseUrlError::Host),
            ("https://a..b", BaseUrlError::Host),
            ("https://a b", BaseUrlError::Host),
            ("https://a\r\nb", BaseUrlError::Host),
            ("https://bücher.example", BaseUrlError::Host),
            ("https://<b>", BaseUrlError::Host),
            ("https://[::g]", BaseUrlError::Host),
            ("https://[::1]x:80", BaseUrlError::Host),
            ("https://]:80", BaseUrlError::Host),
            ("https://::1", BaseUrlError::Host),
            ("https://a:", BaseUrlError::Port),
            ("https://a:0", BaseUrlError::Port),
            ("https://a:+80", BaseUrlError::Port),
            ("https://a:65536", BaseUrlError::Port),
            ("https://a:80:80", BaseUrlError::Port),
        ] {
            assert_eq!(text.parse::<BaseUrl>(), Err(why), "{text:?}");
        }
    }
}
