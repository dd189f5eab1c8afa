//! The base URL: the public URL of the server, with which links in responses start.
//!
//! Invariants: a base URL is a [`LinkTarget`], so its scheme, its host and its port are written as browsers write them.
//! It has no trailing slash, and no character that needs escaping in a URL, a header or HTML.

use std::str::FromStr;

use crate::paste::{LinkTarget, LinkTargetError};

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
        let url = LinkTarget::parse(text).map_err(|error| match error {
            LinkTargetError::TooLong => "is longer than 4096 bytes",
            LinkTargetError::Character => "has white space, a control character or a backslash",
            LinkTargetError::Scheme => "does not start with http:// or https://",
            LinkTargetError::Host => "has no valid host",
            LinkTargetError::Port => "has no valid port",
            LinkTargetError::Credentials => "has a user name or password",
        })?;
        // A path that the URL standard would change, such as `/a/../b`, is more likely a mistake.
        let url = url.as_str().strip_suffix('/').unwrap_or(url.as_str());
        let before_host = url.find("://").map_or(0, |at| at + "://".len());
        let path = url[before_host..].find(['/', '?', '#']);
        let before_path = path.map_or(url.len(), |at| before_host + at);
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
        if !url[before_host..before_path].bytes().all(is_host) {
            return Err("has no valid host");
        }
        if url[..before_path].ends_with(":0") {
            return Err("has no valid port");
        }
        if text.contains('%') || text.contains("/.") || !is_base_path(&url[before_path..]) {
            return Err("has a query, or a path other than names of letters, digits and -._~");
        }
        Ok(Self {
            text: url.to_owned(),
            before_host,
            before_path,
        })
    }
}

/// Returns true if the text is empty, or is a path of names that every client sends as they are written here.
fn is_base_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.bytes().all(is_plain);
    let mut parts = path.split('/');
    parts.next() == Some("") && parts.all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEME: &str = "does not start with http:// or https://";
    const CREDENTIALS: &str = "has a user name or password";
    const PATH: &str = "has a query, or a path other than names of letters, digits and -._~";
    const HOST: &str = "has no valid host";
    const PORT: &str = "has no valid port";
    const SPACE: &str = "has white space, a control character or a backslash";

    #[test]
    fn an_address_is_stored_as_browsers_write_it_without_its_trailing_slash() {
        for (text, kept) in [
            ("https://paste.example.org", "https://paste.example.org"),
            ("https://paste.example.org/", "https://paste.example.org"),
            (
                "HTTP://Paste.Example.org:8088",
                "http://paste.example.org:8088",
            ),
            ("http://127.0.0.1:8088/", "http://127.0.0.1:8088"),
            ("http://[::1]", "http://[::1]"),
            ("http://[2001:db8:0::1]:80", "http://[2001:db8::1]"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
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
            (" https://paste.example.org", SPACE),
            ("https://a:b@paste.example.org", CREDENTIALS),
            ("https://paste.example.org//", PATH),
            ("https://paste.example.org/bin//", PATH),
            ("https://paste.example.org/../bin", PATH),
            ("https://paste.example.org/./bin", PATH),
            ("https://paste.example.org/%2e%2e/bin", PATH),
            ("https://paste.example.org//bin", PATH),
            ("https://paste.example.org/my bin", SPACE),
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
            ("https://a b", SPACE),
            ("https://a\r\nb", SPACE),
            ("https://<b>", HOST),
            ("https://a&b", HOST),
            ("https://[::g]", HOST),
            ("https://[::1]x:80", HOST),
            ("https://]:80", HOST),
            ("https://::1", HOST),
            ("https://a:0", PORT),
            ("https://a:+80", PORT),
            ("https://a:65536", PORT),
            ("https://a:80:80", PORT),
        ] {
            assert_eq!(text.parse::<BaseUrl>(), Err(why), "{text:?}");
        }
    }
}
