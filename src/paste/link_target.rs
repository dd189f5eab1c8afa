//! A link target is the URL that a short link redirects to.
//!
//! Invariants: a target is an absolute `http` or `https` URL with a host, without user name and password. It is stored
//! in the normal form of the WHATWG URL standard. That form is ASCII without white space or control characters, so it
//! is safe in a header. The host is in punycode. A target has at most [`LinkTarget::MAX_BYTES`] bytes, and parsing it
//! again does not change it. Browsers and parsers disagree on backslashes, white space and missing slashes. A text with
//! one of them is refused before parsing.

use thiserror::Error;
use url::{ParseError, Url};

use crate::hidden::Hidden;

/// The URL that a short link redirects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTarget(Hidden<Url>);

/// Why a text is not a link target. The message is one line that says what to do next. It does not quote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkTargetError {
    /// The URL is longer than [`LinkTarget::MAX_BYTES`], either as the client sent it or in its normal form.
    #[error("The URL is too long. Use one of at most 4096 bytes, percent-encoding included.")]
    TooLong,
    /// The text has white space, a control character or a backslash.
    #[error(
        "The URL has white space, a control character or a backslash. Remove or percent-encode it."
    )]
    Character,
    /// The text does not start with `http://` or `https://`.
    #[error("The URL does not start with `http://` or `https://`. Send a full web address.")]
    Scheme,
    /// The URL has no valid host.
    #[error("The URL has no valid host name. Put one right after `http://` or `https://`.")]
    Host,
    /// The port of the URL is not a number up to 65535.
    #[error("The URL has no valid port. Use a number up to 65535, or remove it.")]
    Port,
    /// The URL has a user name or a password.
    #[error("The URL has a user name or password. Remove the part before the `@`.")]
    Credentials,
}

impl LinkTarget {
    /// Maximum bytes of a URL, both as the client sends it and in its normal form.
    pub const MAX_BYTES: usize = 4096;

    /// Parses the whole text as a link target.
    ///
    /// # Errors
    /// Fails if the text is not a link target. [`LinkTargetError`] lists the reasons.
    pub fn parse(text: &str) -> Result<Self, LinkTargetError> {
        if text.len() > Self::MAX_BYTES {
            return Err(LinkTargetError::TooLong);
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
            return Err(LinkTargetError::Character);
        }
        let behind_scheme = strip_scheme(text).ok_or(LinkTargetError::Scheme)?;
        // Browsers skip extra slashes here, so they would read the first segment of the path as the host.
        if behind_scheme.starts_with('/') {
            return Err(LinkTargetError::Host);
        }
        let url = Url::parse(text)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(LinkTargetError::Credentials);
        }
        if !has_valid_lengths(url.host_str().unwrap_or_default()) {
            return Err(LinkTargetError::Host);
        }
        if url.as_str().len() > Self::MAX_BYTES {
            return Err(LinkTargetError::TooLong);
        }
        Ok(Self(Hidden(url)))
    }

    /// Returns the URL in its normal form, which is ASCII.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns true if the target is on this host. `host` is written as in a Host header, with or without a port.
    /// Targets on another port do not match. Ports 80, 443 and no port match each other, since a server usually
    /// redirects from one to the other. Returns false if `host` is not valid.
    pub fn leads_to(&self, host: &str) -> bool {
        Url::parse(&format!("http://{host}"))
            .is_ok_and(|service| service_of(&service) == service_of(&self.0))
    }
}

fn strip_scheme(text: &str) -> Option<&str> {
    ["http://", "https://"].into_iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    })
}

/// Returns the host without the final dot of a fully qualified name.
fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_end_matches('.')
}

/// Returns whether a host has at most 253 bytes, in labels of 1 to 63 (RFC 1035, section 3.1). No browser finds a
/// longer one. The longest address, of IPv6, is shorter than a label.
fn has_valid_lengths(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| (1..=63).contains(&label.len());
    host.len() <= 253 && host.split('.').all(is_label)
}

/// Returns the host and the port. The port is `None` for the default ports of `http` and `https`.
fn service_of(url: &Url) -> (&str, Option<u16>) {
    let port = url.port().filter(|port| !matches!(port, 80 | 443));
    (host_of(url), port)
}

impl From<ParseError> for LinkTargetError {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::InvalidPort => Self::Port,
            // The scheme and the slashes were checked before, so only the host can be wrong.
            _ => Self::Host,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[test]
    fn a_host_that_no_browser_finds_is_refused() {
        let label = "a".repeat(63);
        let long = [&*label; 4].join(".");
        for (host, is_found) in [
            (label.as_str(), true),
            (&label.repeat(2), false),
            (&long[..253], true),
            (&long, false),
            ("a.example.", true),
            ("a..example", false),
            ("a..", false),
            ("[2001:db8::1]", true),
            ("xn--bcher-kva.example", true),
            ("xn--", false),
            ("xn--a", false),
            ("xn--example-.com", false),
            ("xn--1ug", false),
        ] {
            let error = LinkTarget::parse(&format!("https://{host}/")).err();
            assert_eq!(
                error,
                (!is_found).then_some(LinkTargetError::Host),
                "{host}"
            );
        }
    }

    fn target(text: &str) -> LinkTarget {
        LinkTarget::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_target_is_stored_in_ascii_and_looks_like_no_other_address() {
        for (text, kept) in [
            ("http://example.org", "http://example.org/"),
            ("HTTPS://Example.ORG/A", "https://example.org/A"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://аpple.com", "https://xn--pple-43d.com/"),
            ("https://a.example。org", "https://a.example.org/"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            ("http://2130706433", "http://127.0.0.1/"),
            ("http://[::0001]:8080/", "http://[::1]:8080/"),
            ("http://ex%61mple.org", "http://example.org/"),
            ("http://example.org:80", "http://example.org/"),
            ("https://h/%00%2f?q=%0d%0a&r", "https://h/%00%2f?q=%0d%0a&r"),
            ("https://h/ü?ü#ü", "https://h/%C3%BC?%C3%BC#%C3%BC"),
            ("https://h/a/../b#at/../c", "https://h/b#at/../c"),
            ("https://h/?to=http://u:p@e", "https://h/?to=http://u:p@e"),
            ("https://h/\"<>", "https://h/%22%3C%3E"),
            ("https://paste_bin./", "https://paste_bin./"),
        ] {
            assert_eq!(target(text).as_str(), kept);
        }
    }

    #[test]
    fn a_text_that_is_not_a_target_says_why() {
        use LinkTargetError::*;
        let long = format!("https://h/{}", "a".repeat(10_000));
        // This URL is short enough as sent, but too long once each character is escaped.
        let growing = format!("https://h/{}", "ü".repeat(1_000));
        for (text, why) in [
            ("", Scheme),
            ("example.org", Scheme),
            ("//evil", Scheme),
            ("javascript:alert(1)", Scheme),
            ("data:text/html,a", Scheme),
            ("ftp://h", Scheme),
            ("https:evil", Scheme),
            ("https:/evil", Scheme),
            ("httpé://h", Scheme),
            ("http://", Host),
            ("http:///x", Host),
            ("https:////x", Host),
            ("http://?x", Host),
            ("http://#x", Host),
            ("http://.", Host),
            ("http://:80", Host),
            ("http://%00", Host),
            ("http://%20", Host),
            ("http://a%2fb", Host),
            ("http://a<b", Host),
            ("http://[::1", Host),
            ("http://[x]", Host),
            ("http://1.2.3.999", Host),
            ("http://xn--", Host),
            ("http://\u{ad}", Host),
            ("http://h:65536", Port),
            ("http://h:x", Port),
            ("http://user@h", Credentials),
            ("http://u:p@h", Credentials),
            ("http://:p@h", Credentials),
            ("http://example.org%2f@h", Credentials),
            (" http://h", Character),
            ("http://h ", Character),
            ("http://h\n", Character),
            ("ht\ntp://h", Character),
            ("java\tscript:alert(1)", Character),
            ("http://h/a b", Character),
            ("http://h/a\u{a0}b", Character),
            ("http://h/a\u{2028}b", Character),
            ("http://h/a\u{85}b", Character),
            ("http://h/\0", Character),
            ("http://h/\r\nSet-Cookie:a", Character),
            ("http:\\\\h", Character),
            ("http://h\\@evil", Character),
            (&long, TooLong),
            (&growing, TooLong),
        ] {
            assert_eq!(LinkTarget::parse(text), Err(why), "{text:.60}");
        }
    }

    #[test]
    fn a_target_leads_to_a_service_by_its_host_and_port() {
        for (text, host, leads) in [
            ("https://Paste.example/x", "paste.example", true),
            ("https://paste.example", "PASTE.example.", true),
            ("https://paste.example./", "paste.example", true),
            ("https://paste.example", "paste.example:443", true),
            ("https://paste.example:443", "paste.example", true),
            ("http://paste.example", "paste.example:80", true),
            ("http://paste.example", "paste.example:443", true),
            ("https://paste.example:80", "paste.example", true),
            ("http://paste.example:8088", "paste.example:8088", true),
            ("https://paste.example:8088", "paste.example:8088", true),
            ("https://bücher.example", "xn--bcher-kva.example", true),
            ("https://xn--bcher-kva.example", "Bücher.example", true),
            ("http://127.1/", "127.0.0.1", true),
            ("http://[0::1]:8088/", "[::1]:8088", true),
            ("http://paste.example:8088", "paste.example", false),
            ("http://paste.example", "paste.example:8088", false),
            ("http://paste.example:8088", "paste.example:8089", false),
            ("https://a.paste.example", "paste.example", false),
            ("https://evil/paste.example", "paste.example", false),
            ("https://paste.example", "", false),
            ("https://paste.example", "a b", false),
        ] {
            assert_eq!(target(text).leads_to(host), leads, "{text} {host}");
        }
    }

    #[test]
    fn a_host_is_given_without_its_port() {
        assert_eq!(
            host_of(&target("https://Bücher.example:8088/a").0),
            "xn--bcher-kva.example"
        );
        assert_eq!(host_of(&target("http://[0::1]:8088/a").0), "[::1]");
    }

    #[test]
    fn a_refusal_is_one_sentence_of_one_line() {
        use LinkTargetError::*;
        for error in [TooLong, Character, Scheme, Host, Port, Credentials] {
            let sentence = error.to_string();
            assert!(
                sentence.ends_with('.') && !sentence.contains('\n'),
                "{sentence}"
            );
        }
        assert!(
            TooLong
                .to_string()
                .contains(&LinkTarget::MAX_BYTES.to_string())
        );
    }

    #[test]
    fn a_target_is_not_printed() {
        assert_eq!(
            format!("{:?}", target("http://h/secret")),
            "LinkTarget(secret)"
        );
    }

    proptest! {
        #[test]
        fn an_accepted_text_is_a_safe_header_and_parses_to_itself(
            text in "(https?://|HttP://)?([a-zé。%0-9:@\\[\\].]{0,12}[/?#\"'`|^{}<>&=.é%😀\u{200b}]{0,12}|\\PC{0,30}|.{0,30})",
            host in "[a-z0-9.:\\[\\]@/]{0,12}",
        ) {
            if let Ok(target) = LinkTarget::parse(&text) {
                let kept = target.as_str();
                prop_assert!(kept.bytes().all(|byte| byte.is_ascii_graphic()), "{}", kept);
                prop_assert!(kept.starts_with("http://") || kept.starts_with("https://"));
                prop_assert!(!host_of(&target.0).is_empty());
                prop_assert_eq!(LinkTarget::parse(kept), Ok(target.clone()));
                prop_assert!(target.leads_to(host_of(&target.0)) || target.0.port().is_some());
                let _ = target.leads_to(&host);
            }
        }
    }
}
