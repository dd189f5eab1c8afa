//! The page that shows the target of a short link without following the link. It exists as HTML and as plain text for
//! terminals.
//!
//! The target has already been validated: it is an `http` or `https` URL in ASCII without white space.
//! Invariants: the page shows the whole target. The host that a browser would connect to is bold, because the part
//! before an `@` can look like a host.

use std::borrow::Cow;

use askama::Template;

use crate::page::humanize;
use crate::page::paste_facts::{PasteHead, PasteTimes};
use crate::page::site::Site;
use crate::page::template::Page;
use crate::render::visible;

/// A short link and its state at the time of the request.
#[derive(Clone, Copy, Template)]
#[template(path = "link.html", config = "src/page/askama.toml")]
pub(crate) struct LinkPage<'a> {
    pub(crate) site: &'a Site,
    pub(crate) head: PasteHead<'a>,
    /// The URL that the short link leads to.
    pub(crate) target: &'a str,
    /// The link's title, if it has one.
    pub(crate) title: Option<&'a str>,
    pub(crate) times: PasteTimes,
    /// How often it was followed.
    pub(crate) clicks: u32,
}

impl LinkPage<'_> {
    fn heading(&self) -> Cow<'_, str> {
        self.title.map_or("Short link".into(), visible)
    }
}

impl Page for LinkPage<'_> {
    /// Returns two lines for a terminal: the target, and a line of facts about the link.
    fn text(&self) -> String {
        format!(
            "{}\nSaved {}. {}. {}.\n",
            visible(self.target),
            humanize::ago(self.times.age),
            humanize::total(self.clicks, "click"),
            humanize::expiry(self.times.expires_in)
        )
    }
}

/// Splits a URL into the part before its host, the host, and the rest. If there is no host, the first part is the whole
/// text.
fn split_at_host(target: &str) -> [&str; 3] {
    let Some((scheme, rest)) = target.split_once("://") else {
        return [target, "", ""];
    };
    // Browsers also end a host at a backslash.
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let start = rest[..end].rfind('@').map_or(0, |at| at + 1);
    // An IPv6 address contains colons inside its brackets. They do not start a port.
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

    use std::time::Duration;

    use super::*;
    use crate::date::Utc;
    use crate::page::site::site;
    use crate::page::to_html;

    fn page(target: &str) -> LinkPage<'_> {
        LinkPage {
            site: site(""),
            head: PasteHead {
                id: "0123456789AB",
                url: "https://bin.example/0123456789AB",
                may_delete: false,
                saved: None,
            },
            target,
            title: None,
            times: PasteTimes {
                age: Duration::from_secs(180),
                saved_at: Utc::from_epoch_millis(951_696_000_000),
                expires_in: Some(Duration::from_secs(604_620)),
                expires_at: Some(Utc::from_epoch_millis(951_782_400_000)),
            },
            clicks: 5,
        }
    }

    #[test]
    fn the_host_is_the_one_that_a_browser_connects_to() {
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
            assert_eq!(split_at_host(target)[1], host, "{target}");
        }
    }

    proptest! {
        #[test]
        fn a_target_is_shown_whole(target in "[a-z:/@?#\\\\\\[\\].é]{0,40}|\\PC*") {
            prop_assert_eq!(split_at_host(&target).concat(), target);
        }
    }

    #[test]
    fn a_page_shows_where_a_link_leads_and_how_often_it_was_clicked() {
        let html = to_html(&page("https://example.org/a?b=1&c"));
        for part in [
            "https://<b>example.org</b>/a?b=1&#38;c",
            "<a class=\"button\" href=\"https://example.org/a?b=1&#38;c\" rel=\"noreferrer nofollow ugc noopener\">Open link</a>",
            "Saved <time datetime=\"2000-02-28T00:00:00Z\" data-when=\"past\">2000-02-28 00:00:00 UTC</time>",
            "<span>5 clicks</span>",
            "Expires <time datetime=\"2000-02-29T00:00:00Z\" data-when=\"future\">2000-02-29 00:00:00 UTC</time>",
            "data-link=\"https://bin.example/0123456789AB\"",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("http-equiv"));
    }

    #[test]
    fn only_the_owner_can_delete_it_here_and_anyone_is_led_to_its_stats() {
        let html = |may_delete| {
            let mut page = page("https://example.org");
            page.head.may_delete = may_delete;
            to_html(&page)
        };
        let delete = "<input type=\"hidden\" name=\"delete\" value=\"1\">";
        assert!(html(true).contains(delete) && !html(false).contains(delete));
        // The cookie with the token is sent to the other page only, not to this one.
        for html in [html(true), html(false)] {
            assert!(html.contains("href=\"/0123456789AB/stats\""));
        }
    }

    #[test]
    fn a_terminal_gets_the_target_and_one_line_of_facts() {
        assert_eq!(
            page("https://example.org/a").text(),
            "https://example.org/a\nSaved 3 minutes ago. 5 clicks. Expires in 7 days.\n"
        );
        let fresh = LinkPage {
            times: PasteTimes {
                age: Duration::ZERO,
                expires_in: None,
                ..page("").times
            },
            clicks: 0,
            ..page("https://example.org/\u{1b}[2J")
        };
        assert_eq!(
            fresh.text(),
            "https://example.org/␛[2J\nSaved just now. No clicks yet. Never expires.\n"
        );
    }
}
