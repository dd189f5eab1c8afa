//! The base URL: the public URL of the server, with which links in responses start.
//!
//! Invariants: a base URL consists of `http` or `https`, a host and an optional port, in lower case, and an optional
//! path. It has no trailing slash, no default port, no white space and no character that needs escaping in a URL, a
//! header or HTML. So its origin is written as browsers write it.

use std::net::Ipv6Addr;
use std::str::FromStr;

/// The public URL of the server: `https://paste.example.org` or `https://example.org/paste`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    /// The length of the scheme and its `://`.
    before_host: usize,
    /// The length of the part before the path.
    before_path: usize,
}

impl BaseUrl {
    /// Returns the URL without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if browsers reach the server with TLS.
    pub(crate) fn is_https(&self) -> bool {
        self.text.starts_with("https:")
    }

    /// Returns the URL without its path: `https://example.org`.
    pub(crate) fn origin(&self) -> &str {
        &self.text[..self.before_path]
    }

    /// Returns the host, with its port if there is one.
    pub(crate) fn authority(&self) -> &str {
        &self.text[self.before_host..self.before_path]
    }

    /// Returns the base path, which starts the path of every request: empty, or such as `/paste`.
    pub(crate) fn path(&self) -> &str {
        &self.text[self.before_path..]
    }
}

impl FromStr for BaseUrl {
    /// A phrase that follows the text.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const SCHEME: &str = "does not start with http:// or https://";
        let (scheme, rest) = text.split_once("://").ok_or(SCHEME)?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(&*scheme, "http" | "https") {
            return Err(SCHEME);
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (authority, path) =
            rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
        let authority = authority.to_ascii_lowercase();
        if authority.contains('@') {
            return Err("has a user name or password");
        }
        if !is_base_path(path) {
            return Err("has a query, or a path other than names of letters, digits and -._~");
        }
        let (host, port) = split_port(&authority);
        if !is_host(host) {
            return Err("has no valid host");
        }
        if !port.is_none_or(is_port) {
            return Err("has no valid port");
        }
        let is_default = matches!(
            (&*scheme, port),
            ("http", Some("80")) | ("https", Some("443"))
        );
        let authority = if is_default { host } else { &authority };
        let origin = format!("{scheme}://{authority}");
        Ok(Self {
            before_host: scheme.len() + "://".len(),
            before_path: origin.len(),
            text: origin + path,
        })
    }
}

/// Returns true if the text is empty, or is a path of names that every client sends as they are written here.
fn is_base_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.bytes().all(is_plain);
    path.is_empty()
        || path
            .strip_prefix('/')
            .is_some_and(|path| path.split('/').all(is_name))
}

/// Returns true if the text is a host with an optional port (RFC 3986, section 3.2, without user information).
pub(crate) fn is_authority(text: &str) -> bool {
    let (host, port) = split_port(text);
    is_host(host) && port.is_none_or(is_port)
}

/// Splits off the port, if there is one. The colons inside the brackets of an IPv6 address do not start a port.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let end_of_brackets = match authority.starts_with('[') {
        true => authority.rfind(']').unwrap_or(0),
        false => 0,
    };
    match memchr::memchr(b':', &authority.as_bytes()[end_of_brackets..]) {
        Some(colon) => {
            let (host, port) = authority.split_at(end_of_brackets + colon);
            (host, Some(&port[1..]))
        }
        None => (authority, None),
    }
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

    const SCHEME: &str = "does not start with http:// or https://";
    const CREDENTIALS: &str = "has a user name or password";
    const PATH: &str = "has a query, or a path other than names of letters, digits and -._~";
    const HOST: &str = "has no valid host";
    const PORT: &str = "has no valid port";

    #[test]
    fn an_address_is_stored_in_lower_case_without_its_trailing_slash() {
        for (text, kept) in [
            ("https://paste.example.org", "https://paste.example.org"),
            ("https://paste.example.org/", "https://paste.example.org"),
            (
                "HTTP://Paste.Example.org:8088",
                "http://paste.example.org:8088",
            ),
            ("http://127.0.0.1:8088/", "http://127.0.0.1:8088"),
            ("http://[::1]", "http://[::1]"),
            ("http://[2001:db8::1]:80", "http://[2001:db8::1]"),
            ("https://paste.example.org:443", "https://paste.example.org"),
            (
                "http://paste.example.org:443",
                "http://paste.example.org:443",
            ),
            ("http://paste_bin", "http://paste_bin"),
            (
                "HTTPS://Example.org/My/~bin.2/",
                "https://example.org/My/~bin.2",
            ),
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
    fn a_base_url_has_an_origin_an_authority_and_a_base_path() {
        for (text, parts) in [
            ("https://a.example", ["https://a.example", "a.example", ""]),
            (
                "http://[::1]:81/my/bin/",
                ["http://[::1]:81", "[::1]:81", "/my/bin"],
            ),
        ] {
            let url: BaseUrl = text.parse().unwrap();
            assert_eq!([url.origin(), url.authority(), url.path()], parts);
        }
    }

    #[test]
    fn a_text_that_is_not_a_base_url_is_refused_with_the_reason() {
        for (text, why) in [
            ("", SCHEME),
            ("paste.example.org", SCHEME),
            ("ftp://paste.example.org", SCHEME),
            ("https:/paste.example.org", SCHEME),
            (" https://paste.example.org", SCHEME),
            ("https://a:b@paste.example.org", CREDENTIALS),
            ("https://paste.example.org//", PATH),
            ("https://paste.example.org/bin//", PATH),
            ("https://paste.example.org//bin", PATH),
            ("https://paste.example.org/../bin", PATH),
            ("https://paste.example.org/./bin", PATH),
            ("https://paste.example.org/my bin", PATH),
            ("https://paste.example.org/b%69n", PATH),
            ("https://paste.example.org/<b>", PATH),
            ("https://paste.example.org/a;b", PATH),
            ("https://paste.example.org/bin?a", PATH),
            ("https://paste.example.org?a", PATH),
            ("https://paste.example.org#a", PATH),
            ("https://", HOST),
            ("https:///", HOST),
            ("https://:80", HOST),
            ("https://a..b", HOST),
            ("https://a b", HOST),
            ("https://a\r\nb", HOST),
            ("https://bücher.example", HOST),
            ("https://<b>", HOST),
            ("https://[::g]", HOST),
            ("https://[::1]x:80", HOST),
            ("https://]:80", HOST),
            ("https://::1", HOST),
            ("https://a:", PORT),
            ("https://a:0", PORT),
            ("https://a:+80", PORT),
            ("https://a:65536", PORT),
            ("https://a:80:80", PORT),
        ] {
            assert_eq!(text.parse::<BaseUrl>(), Err(why), "{text:?}");
        }
    }
}
