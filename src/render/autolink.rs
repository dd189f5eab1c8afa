//! Autolinks: finds bare URLs and email addresses in running text, in plain text and in logs.
//!
//! Invariants: an autolink is a URL with a scheme, a host that starts with `www.`, or an email address. Punctuation of
//! the surrounding sentence is not part of it. An address outside the document starts with one of three schemes, so no
//! trick with entities, case or control characters can produce another.
//! Cost: one pass of the library, and at most [`MOST`] links in a listing.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};
use percent_encoding::{CONTROLS, utf8_percent_encode};

use crate::render::highlight::{Highlight, Span};

/// The attribute of a link that leads to another site.
pub(super) const REL: &str = " rel=\"nofollow noopener noreferrer\"";

/// The most links of a listing.
pub(super) const MOST: usize = 20_000;

/// The most bytes of a link in a listing.
const LONGEST: usize = 2048;

/// Returns the address of what is written, if a link may lead there.
pub(super) fn address(written: &str) -> Option<String> {
    let is_allowed = ["https://", "http://", "mailto:"].iter().any(|scheme| {
        let start = written.as_bytes().get(..scheme.len());
        written.len() > scheme.len()
            && start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    is_allowed.then(|| utf8_percent_encode(written, CONTROLS).to_string())
}

/// Returns the links of a text in a listing, in order.
pub(super) fn links(text: &str) -> impl Iterator<Item = Span> {
    let links = autolinks(text).filter(|(range, _)| range.len() <= LONGEST);
    links.map(|(range, scheme)| Span {
        range,
        highlight: Highlight::Link(scheme),
    })
}

/// Returns the autolinks of a text, in order, and for each the scheme that its address has and the text leaves out.
pub(super) fn autolinks(text: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    let mut finder = LinkFinder::new();
    finder.url_must_have_scheme(false);
    finder.links(text).filter_map(|link| {
        // The library takes the end of emphasis for a part of the URL.
        let ends = ['*', '_', '~', '.', ',', ':', ';', '?', '!', '\''];
        let mut written = link.as_str().trim_end_matches(ends);
        // What looks like an entity at the end is none of the URL either, as on GitHub.
        if text[link.start() + written.len()..].starts_with(';')
            && let Some((before, name)) = written.rsplit_once('&')
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            written = before.trim_end_matches(ends);
        }
        let is_host = || {
            written
                .get(..4)
                .is_some_and(|www| www.eq_ignore_ascii_case("www."))
        };
        let scheme = match link.kind() {
            LinkKind::Email => "mailto:",
            LinkKind::Url if is_host() => "http://",
            _ => "",
        };
        // Not `README.md`, which has no scheme.
        address(&[scheme, written].concat())?;
        Some((link.start()..link.start() + written.len(), scheme))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_autolink_ends_where_its_sentence_goes_on() {
        for (text, written, href) in [
            (
                "see https://a.example.",
                "https://a.example",
                "https://a.example",
            ),
            (
                "(https://a.example/b_(c))",
                "https://a.example/b_(c)",
                "https://a.example/b_(c)",
            ),
            (
                "HTTPS://a.example/?q=1&r=2#x!",
                "HTTPS://a.example/?q=1&r=2#x",
                "HTTPS://a.example/?q=1&r=2#x",
            ),
            (
                "https://a.example/?q=1&hl;",
                "https://a.example/?q=1",
                "https://a.example/?q=1",
            ),
            (
                "https://a.example/?q=1&a=2;",
                "https://a.example/?q=1&a=2",
                "https://a.example/?q=1&a=2",
            ),
            (
                "*www.a.example/b*",
                "www.a.example/b",
                "http://www.a.example/b",
            ),
            (
                "a.md, write to a.b-c_d+e@f-g.example.",
                "a.b-c_d+e@f-g.example",
                "mailto:a.b-c_d+e@f-g.example",
            ),
        ] {
            let found: Vec<_> = autolinks(text)
                .map(|(range, scheme)| (&text[range.clone()], [scheme, &text[range]].concat()))
                .collect();
            assert_eq!(found, [(written, href.to_owned())], "{text}");
        }
    }

    #[test]
    fn a_file_name_an_incomplete_url_and_another_scheme_are_not_links() {
        for text in [
            "README.md",
            "https://",
            "http:/a",
            "javascript://a.example",
            "a@b",
            "react@18.2.0",
            "www.",
        ] {
            assert_eq!(autolinks(text).count(), 0, "{text}");
        }
    }

    #[test]
    fn the_links_of_a_hostile_text_are_bounded_and_found_in_one_pass() {
        let whole = |part: &str| part.repeat((1 << 20) / part.len());
        for text in [
            whole("http://"),
            whole("http://a@"),
            whole("http://a/("),
            whole("a@b.cc@"),
            whole("www."),
            whole("a.b-@"),
            format!("http://{}", whole("a.'")),
        ] {
            assert!(links(&text).all(|link| link.range.len() <= LONGEST));
        }
    }
}
