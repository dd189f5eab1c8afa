//! Link destinations: decides where a link of a document may lead.
//!
//! Invariants: a destination starts with one of three schemes, or is a heading of the same document. Relative links are
//! refused, because a paste has no neighbouring files. A URL must start with one of these schemes, so no trick with
//! entities, case or control characters can produce another.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::heading_ids::{HEADING, slug};

/// A destination to which a link may lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    /// A URL outside the document.
    External(String),
    /// A heading of the same document, identified by its slug.
    Heading(String),
}

/// The characters that are percent-encoded in a URL. The percent sign is not one of them, because the URL may already
/// be encoded.
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

impl Destination {
    /// Parses a destination as the document states it. Returns `None` if a link may not lead there.
    pub(super) fn parse(written: &str) -> Option<Self> {
        if let Some(fragment) = written.strip_prefix('#') {
            let heading = percent_decode_str(fragment).decode_utf8().ok()?;
            return Some(Self::Heading(slug(&heading)));
        }
        ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| has_scheme(written, scheme))
            .then(|| Self::External(utf8_percent_encode(written, ENCODED).to_string()))
    }

    /// Returns the `mailto:` URL of an email address. Returns `None` if a link may not lead there.
    pub(super) fn email(written: &str) -> Option<Self> {
        Self::parse(&format!("mailto:{written}"))
    }
}

/// Returns whether the URL starts with this scheme, in any case, and continues after it.
fn has_scheme(written: &str, scheme: &str) -> bool {
    let start = written.as_bytes().get(..scheme.len());
    written.len() > scheme.len()
        && start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::External(url) => f.write_str(url),
            Self::Heading(slug) => write!(f, "#{HEADING}{slug}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(written: &str) -> Option<String> {
        Destination::parse(written).map(|destination| destination.to_string())
    }

    #[test]
    fn links_with_one_of_three_schemes_are_external() {
        for written in [
            "https://a.example/b?c=d&e#f%20g",
            "HTTP://a.example",
            "mailto:a@b.example",
        ] {
            assert_eq!(destination(written).as_deref(), Some(written));
        }
        assert_eq!(
            Destination::email("a@b.example").map(|destination| destination.to_string()),
            Some("mailto:a@b.example".to_owned())
        );
    }

    #[test]
    fn any_other_destination_is_refused() {
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
            assert_eq!(destination(written), None, "{written:?}");
        }
    }

    #[test]
    fn characters_that_a_url_may_not_have_are_percent_encoded() {
        assert_eq!(
            destination("https://a.example/\"><b>\u{202e}\0 '\\é").as_deref(),
            Some("https://a.example/%22%3E%3Cb%3E%E2%80%AE%00%20%27%5C%C3%A9")
        );
    }

    #[test]
    fn a_fragment_leads_to_the_heading_of_that_slug() {
        for (written, expected) in [
            ("#some-heading", "#h-some-heading"),
            ("#Some%20Heading", "#h-some-heading"),
            ("#größe", "#h-größe"),
            ("#L10", "#h-l10"),
            ("#", "#h-part"),
        ] {
            assert_eq!(destination(written).as_deref(), Some(expected));
        }
        assert_eq!(destination("#%ff"), None);
    }
}
