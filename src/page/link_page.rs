//! The page that tells where a short link leads, without going there; and the same as text for terminals.
//!
//! What it must not know: what is behind the address, and whether it may be led to: who makes the page has seen to it
//! that it is one of `http` or `https`, in ASCII, without white space.
//! Invariants: the target is shown whole, with the host that a browser would ask in bold: what stands before an `@`
//! only looks like a host.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use askama::Template;

use crate::date::Utc;
use crate::render::humanize;
use crate::render::odd;

/// A short link and what is true of it at this moment.
#[derive(Clone, Copy)]
pub struct LinkPage<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its absolute address.
    pub url: &'a str,
    /// The address that it leads to.
    pub target: &'a str,
    /// Its title, if it has one.
    pub title: Option<&'a str>,
    /// How long ago it was saved.
    pub age: Duration,
    /// How often it was followed.
    pub clicks: u32,
    /// How soon it goes out; none if it does not.
    pub expires_in: Option<Duration>,
    /// When it goes out, in milliseconds since 1970.
    pub expires_at: Option<u64>,
    /// Whether the reader has its token already.
    pub may_delete: bool,
}

/// What a user wrote never reaches a log.
impl fmt::Debug for LinkPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkPage(secret)")
    }
}

#[derive(Template)]
#[template(path = "link.html", config = "src/page/askama.toml")]
struct LinkTemplate<'a> {
    page: &'a LinkPage<'a>,
    title: Option<Cow<'a, str>>,
    before: Cow<'a, str>,
    host: Cow<'a, str>,
    after: Cow<'a, str>,
    saved: String,
    clicks: String,
    goes_out: String,
    goes_out_at: Option<Utc>,
}

/// The page as HTML.
#[must_use]
pub fn link(page: &LinkPage<'_>) -> String {
    let [before, host, after] = around_host(page.target).map(odd::shown);
    let template = LinkTemplate {
        page,
        title: page.title.map(odd::shown),
        before,
        host,
        after,
        saved: humanize::ago(page.age),
        clicks: humanize::done("followed", page.clicks),
        goes_out: humanize::going_out(page.expires_in),
        goes_out_at: page.expires_at.map(Utc::from_epoch_millis),
    };
    crate::page::write(&template, 4 * page.target.len())
}

/// The same for a terminal: the target, then what is true of the link.
#[must_use]
pub fn link_text(page: &LinkPage<'_>) -> String {
    format!(
        "{}\nsaved {}, {}, {}\n",
        odd::shown(page.target),
        humanize::ago(page.age),
        humanize::done("followed", page.clicks),
        humanize::going_out(page.expires_in)
    )
}

/// An address in three: up to its host, the host, and the rest. All of it is in the first if it has none.
fn around_host(target: &str) -> [&str; 3] {
    let Some((scheme, rest)) = target.split_once("://") else {
        return [target, "", ""];
    };
    // To browsers a backslash ends a host too.
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let start = rest[..end].rfind('@').map_or(0, |at| at + 1);
    // An address of IPv6 has colons inside its brackets.
    let host = &rest[start..end];
    let port = match host.rfind(']') {
        Some(bracket) => bracket + 1,
        None => host.find(':').unwrap_or(host.len()),
    };
    let before = scheme.len() + "://".len() + start;
    let (before, host_and_rest) = target.split_at(before);
    let (host, after) = host_and_rest.split_at(port);
    [before, host, after]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(target: &str) -> LinkPage<'_> {
        LinkPage {
            id: "0123456789AB",
            url: "https://bin.example/0123456789AB",
            target,
            title: None,
            age: Duration::from_secs(180),
            clicks: 5,
            expires_in: Some(Duration::from_secs(604_620)),
            expires_at: Some(951_782_400_000),
            may_delete: false,
        }
    }

    #[test]
    fn the_host_is_what_a_browser_would_ask() {
        for (target, host) in [
            ("https://example.org", "example.org"),
            ("https://example.org/a@b", "example.org"),
            ("http://example.org:8080/?q#f", "example.org"),
            ("https://bank.example@evil.example/", "evil.example"),
            ("https://a:b@c@evil.example", "evil.example"),
            ("https://evil.example?@bank.example", "evil.example"),
            ("https://evil.example#@bank.example", "evil.example"),
            ("https://evil.example\\@bank.example", "evil.example"),
            ("https://[2001:db8::1]:80/", "[2001:db8::1]"),
            ("https://", ""),
            ("nothing", ""),
        ] {
            assert_eq!(around_host(target)[1], host, "{target}");
        }
    }

    proptest! {
        #[test]
        fn a_target_is_shown_whole(target in "[a-z:/@?#\\\\\\[\\].é]{0,40}|\\PC*") {
            prop_assert_eq!(around_host(&target).concat(), target);
        }
    }

    #[test]
    fn a_page_tells_where_a_link_leads_and_how_often_it_was_followed() {
        let html = link(&page("https://example.org/a?b=1&c"));
        for part in [
            "https://<b>example.org</b>/a?b=1&#38;c",
            "<a class=\"button\" href=\"https://example.org/a?b=1&#38;c\" rel=\"noreferrer nofollow ugc noopener\">Follow it</a>",
            "<span>saved 3 minutes ago</span>",
            "<span>followed 5 times</span>",
            "<span>goes out in 7 days</span>",
            "<time datetime=\"2000-02-29T00:00:00Z\">(2000-02-29 00:00:00 UTC)</time>",
            "value=\"https://bin.example/0123456789AB\"",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("http-equiv"));
    }

    #[test]
    fn a_hostile_target_is_text_and_its_title_turns_nothing_around() {
        let html = link(&LinkPage {
            title: Some("a\u{202e}b"),
            ..page("https://x/\"><script>alert(1)</script>")
        });
        assert_eq!(html.matches("<script").count(), 1);
        assert!(html.contains("<bdi>a[U+202E]b</bdi>") && !html.contains('\u{202e}'));
    }

    #[test]
    fn only_who_has_the_token_can_delete_it_here_and_counts_ask_for_it() {
        let html = |may_delete| {
            link(&LinkPage {
                may_delete,
                ..page("https://example.org")
            })
        };
        let delete = "<input type=\"hidden\" name=\"delete\" value=\"1\">";
        assert!(html(true).contains(delete) && !html(false).contains(delete));
        // The cookie is not sent to this page by name, but to that one.
        for html in [html(true), html(false)] {
            assert!(html.contains("href=\"/0123456789AB/stats\""));
        }
    }

    #[test]
    fn a_terminal_gets_the_target_and_one_line_of_facts() {
        assert_eq!(
            link_text(&page("https://example.org/a")),
            "https://example.org/a\nsaved 3 minutes ago, followed 5 times, goes out in 7 days\n"
        );
        let fresh = LinkPage {
            age: Duration::ZERO,
            clicks: 0,
            expires_in: None,
            ..page("https://example.org/\u{1b}[2J")
        };
        assert_eq!(
            link_text(&fresh),
            "https://example.org/␛[2J\nsaved just now, not followed yet, does not go out\n"
        );
    }
}
