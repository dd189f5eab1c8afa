//! Link destinations: decides where a link of a document may lead.
//!
//! Invariants: a destination starts with one of three schemes, or is a heading of the same document or another file of
//! the same paste. Other relative links are refused.

use percent_encoding::percent_decode_str;

use super::headings::{HEADING, slug};
use crate::render::autolink::address;

/// A destination to which a link may lead.
pub(super) struct Destination {
    /// The URL, or `#` and the id of a heading.
    pub(super) href: String,
    /// Whether the destination is outside the document.
    pub(super) is_external: bool,
}

impl Destination {
    /// A destination on the same page.
    pub(super) fn on_page(href: String) -> Self {
        let is_external = false;
        Self { href, is_external }
    }

    /// Parses a destination as the document states it. Returns `None` if a link may not lead there.
    pub(super) fn parse(written: &str) -> Option<Self> {
        if let Some(fragment) = written.strip_prefix('#') {
            let heading = percent_decode_str(fragment).decode_utf8().ok()?;
            return Some(Self::on_page(format!("#{HEADING}{}", slug(&heading))));
        }
        let is_external = true;
        address(written).map(|href| Self { href, is_external })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(written: &str) -> Option<String> {
        Destination::parse(written).map(|destination| destination.href)
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
    fn control_characters_and_all_that_is_not_ascii_are_percent_encoded() {
        assert_eq!(
            destination("https://a.example/\"><b>\u{202e}\0 '\\é").as_deref(),
            Some("https://a.example/\"><b>%E2%80%AE%00 '\\%C3%A9")
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
