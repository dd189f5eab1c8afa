//! Autolinks: finds bare URLs and email addresses in running text.
//!
//! Invariants: an autolink is a URL with a scheme, a host that starts with `www.`, or an email address. Punctuation of
//! the surrounding sentence is not part of it.
//! Cost: one pass of the library.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};

use super::destination::Destination;

/// Returns the autolinks of a text, in order.
pub(super) fn autolinks(text: &str) -> impl Iterator<Item = (Range<usize>, Destination)> {
    let mut finder = LinkFinder::new();
    finder.url_must_have_scheme(false);
    let links: Vec<_> = finder.links(text).collect();
    links.into_iter().filter_map(|link| {
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
        let destination = match link.kind() {
            LinkKind::Email => Destination::parse(&format!("mailto:{written}")),
            LinkKind::Url if is_host() => Destination::parse(&format!("http://{written}")),
            // Among these is `README.md`, which has no scheme.
            _ => Destination::parse(written),
        };
        Some((link.start()..link.start() + written.len(), destination?))
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
                .map(|(range, to)| (&text[range], to.href))
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
}
