//! Addresses: where a link of a document may lead.
//!
//! What it must not know: how a link is shown.
//! Invariants: an address begins with one of three schemes, or is a heading of the same document. Relative ones lead
//! nowhere: a paste has nothing beside it. What is allowed is told by how an address begins and not by what it must not
//! hold, so that no trick with entities, case or control characters makes another scheme of it.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::anchors::{HEADING, slug};

/// Where a link may lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// To another place.
    Elsewhere(String),
    /// To a heading of the document, by its slug.
    Heading(String),
}

/// What an address may not hold as it is. The percent sign stays: it is of an address that is encoded already.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'\'')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

impl Address {
    /// The address that is written here, if a link may lead there.
    pub(super) fn parse(written: &str) -> Option<Self> {
        if let Some(fragment) = written.strip_prefix('#') {
            let heading = percent_decode_str(fragment).decode_utf8().ok()?;
            return Some(Self::Heading(slug(&heading)));
        }
        ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| begins_with(written, scheme))
            .then(|| Self::Elsewhere(utf8_percent_encode(written, ENCODED).to_string()))
    }

    /// The address of a mailbox.
    pub(super) fn mailbox(written: &str) -> Option<Self> {
        Self::parse(&format!("mailto:{written}"))
    }
}

/// Whether it begins so, in any case, and goes on.
fn begins_with(written: &str, scheme: &str) -> bool {
    let start = written.as_bytes().get(..scheme.len());
    written.len() > scheme.len()
        && start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elsewhere(url) => f.write_str(url),
            Self::Heading(slug) => write!(f, "#{HEADING}{slug}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(written: &str) -> Option<String> {
        Address::parse(written).map(|address| address.to_string())
    }

    #[test]
    fn three_schemes_lead_elsewhere() {
        for written in [
            "https://a.example/b?c=d&e#f%20g",
            "HTTP://a.example",
            "mailto:a@b.example",
        ] {
            assert_eq!(address(written).as_deref(), Some(written));
        }
        assert_eq!(
            Address::mailbox("a@b.example").map(|address| address.to_string()),
            Some("mailto:a@b.example".to_owned())
        );
    }

    #[test]
    fn everything_else_leads_nowhere() {
        for written in [
            "",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "\u{1}javascript:alert(1)",
            "java\nscript:alert(1)",
            "javascript\t:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "vbscript:x",
            "file:///etc/passwd",
            "//other.example",
            "\\\\other.example",
            "/help",
            "page.md",
            "?delete=1",
            "https:",
            "https:/a",
            "https://",
            "ｈttps://a",
            " https://a.example",
            "blob:https://a.example",
        ] {
            assert_eq!(address(written), None, "{written:?}");
        }
    }

    #[test]
    fn what_does_not_belong_in_an_address_is_encoded() {
        assert_eq!(
            address("https://a.example/\"><b>\u{202e}\0 '\\é").as_deref(),
            Some("https://a.example/%22%3E%3Cb%3E%E2%80%AE%00%20%27%5C%C3%A9")
        );
    }

    #[test]
    fn a_fragment_leads_to_a_heading_as_that_is_named() {
        for (written, expected) in [
            ("#some-heading", "#h-some-heading"),
            ("#Some%20Heading", "#h-some-heading"),
            ("#größe", "#h-größe"),
            ("#L10", "#h-l10"),
            ("#", "#h-part"),
        ] {
            assert_eq!(address(written).as_deref(), Some(expected));
        }
        assert_eq!(address("#%ff"), None);
    }
}
