//! The list of an owner's pastes. It exists as HTML and as plain text for terminals.
//!
//! Invariants: it is for the owner alone, so it is never cached. A title is in a `<bdi>`, and its unsafe characters are
//! shown in a visible form.

mod device;

use std::borrow::Cow;
use std::fmt::Write;

use askama::Template;

use self::device::LOG_IN;
pub(crate) use self::device::{DevicePage, DeviceStep};
use crate::date::Utc;
use crate::page::editor_page::expiry_options;
use crate::page::humanize;
use crate::page::paste_facts::PasteTimes;
use crate::page::template::Page;
use crate::paste::{Access, Encoding, Expiry, Language, ReadsLeft, Title};
use crate::render::visible;

/// A page of the list.
#[derive(Clone, Copy, Template)]
#[template(path = "mine.html", config = "src/page/askama.toml")]
pub(crate) struct MinePage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub(crate) base_path: &'a str,
    /// The pastes, the newest first.
    pub(crate) pastes: &'a [MinePaste],
    /// The cursor of this page, unless it is the first.
    pub(crate) cursor: Option<u64>,
    /// The cursor of the next page, if there is one.
    pub(crate) next: Option<u64>,
    /// Whether the visitor is an owner.
    pub(crate) is_owner: bool,
    /// Whether the list is that of a key or of a user of the proxy.
    pub(crate) is_account: bool,
    /// Whether the visitor has a key.
    pub(crate) has_key: bool,
    /// Whether the server has keys.
    pub(crate) takes_keys: bool,
    /// Whether browsers become owners here, which needs TLS.
    pub(crate) makes_owners: bool,
    /// The lifetime that is selected.
    pub(crate) default_expiry: Expiry,
    /// The longest lifetime that the server allows.
    pub(crate) longest_expiry: Expiry,
    /// The URL of the server.
    pub(crate) base_url: &'a str,
}

impl MinePage<'_> {
    /// Returns whether the browser keeps the list, because the server has none for it.
    fn is_local(&self) -> bool {
        !self.is_owner && !self.makes_owners
    }
}

/// A paste of the list.
#[derive(Clone)]
pub(crate) struct MinePaste {
    /// The id.
    pub(crate) id: String,
    /// The title, if it has one that is not encrypted.
    pub(crate) title: Option<Title>,
    /// How the content may be read.
    pub(crate) access: Access,
    /// The language that was named.
    pub(crate) language: Option<Language>,
    /// Whether the content is text.
    pub(crate) encoding: Encoding,
    /// The bytes of the content.
    pub(crate) size: usize,
    /// How often it was read.
    pub(crate) reads: u32,
    pub(crate) times: PasteTimes,
}

/// A line of the list.
struct Row<'a> {
    id: &'a str,
    title: Cow<'a, str>,
    facts: Vec<String>,
    expires_at: Option<Utc>,
}

impl<'a> Row<'a> {
    fn of(paste: &'a MinePaste) -> Self {
        let title = paste.title.as_ref();
        Self {
            id: &paste.id,
            title: title.map_or(Cow::Borrowed(&*paste.id), |title| visible(title.as_str())),
            facts: paste.facts(),
            expires_at: paste.times.expires_at,
        }
    }
}

impl MinePaste {
    /// The kind, the size and the reads.
    fn facts(&self) -> Vec<String> {
        let kind = match (self.access, self.encoding) {
            (Access::Link, _) => "Link",
            (Access::Locked(_), _) => "Password protected",
            (_, Encoding::Binary) => "Binary",
            (_, Encoding::Utf8) => self.language.map_or("Text", Language::label),
        };
        let mut facts = vec![kind.to_owned()];
        // Of an encrypted content, only the encrypted size is known.
        if !matches!(self.access, Access::Link | Access::Locked(_)) {
            facts.push(humanize::size(self.size));
        }
        let noun = match self.access {
            Access::Link => "click",
            Access::Open | Access::Burn(_) | Access::Locked(_) => "view",
        };
        facts.push(humanize::total(self.reads, noun));
        let left = self.access.reads_left().map(ReadsLeft::get);
        facts.extend(left.map(humanize::views_left));
        facts
    }
}

impl Page for MinePage<'_> {
    /// Returns two lines for each paste: its URL and title, and its facts.
    fn text(&self) -> String {
        let mut text = String::new();
        for paste in self.pastes {
            let row = Row::of(paste);
            let facts = row.facts.join(". ");
            let title = paste
                .title
                .as_ref()
                .map_or(String::new(), |_| format!("  {}", row.title));
            let (base, id) = (self.base_url, row.id);
            let expiry = humanize::expiry(paste.times.expires_in);
            writeln!(text, "{base}/{id}{title}\n  {facts}. {expiry}.")
                .expect("a string takes everything");
        }
        if let Some(next) = self.next {
            writeln!(text, "More: {}/mine?cursor={next}", self.base_url)
                .expect("a string takes everything");
        } else if text.is_empty() {
            text.push_str("No pastes yet.\n");
        }
        text
    }

    fn content_size(&self) -> usize {
        1024 * self.pastes.len()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn paste(title: &str, access: Access) -> MinePaste {
        MinePaste {
            id: "0123456789AB".to_owned(),
            title: Title::new(title),
            access,
            language: Language::from_name("rust"),
            encoding: Encoding::Utf8,
            size: 1434,
            reads: 2,
            times: PasteTimes {
                age: Duration::ZERO,
                saved_at: Utc::from_epoch_millis(0),
                expires_in: Some(Duration::from_secs(3600)),
                expires_at: Some(Utc::from_epoch_millis(951_782_400_000)),
            },
        }
    }

    fn page(pastes: &[MinePaste]) -> MinePage<'_> {
        MinePage {
            base_path: "/bin",
            pastes,
            cursor: None,
            next: None,
            is_owner: true,
            is_account: false,
            has_key: false,
            takes_keys: false,
            makes_owners: true,
            default_expiry: Expiry::from_seconds(3600).expect("an hour"),
            longest_expiry: Expiry::Never,
            base_url: "https://bin.example",
        }
    }

    #[test]
    fn a_terminal_gets_two_lines_for_each_paste() {
        let burn = Access::Burn(ReadsLeft::new(3).expect("few"));
        let pastes = [
            paste("a\u{202e}b", Access::Open),
            paste("", burn),
            paste("", Access::Locked(None)),
            paste("l", Access::Link),
        ];
        let text = MinePage {
            next: Some(7),
            ..page(&pastes)
        }
        .text();
        assert_eq!(
            text,
            "https://bin.example/0123456789AB  a[U+202E]b\n  Rust. 1.4 KiB. 2 views. Expires in 1 hour.\n\
             https://bin.example/0123456789AB\n  Rust. 1.4 KiB. 2 views. 3 views left. Expires in 1 hour.\n\
             https://bin.example/0123456789AB\n  Password protected. 2 views. Expires in 1 hour.\n\
             https://bin.example/0123456789AB  l\n  Link. 2 clicks. Expires in 1 hour.\n\
             More: https://bin.example/mine?cursor=7\n"
        );
        assert_eq!(page(&[]).text(), "No pastes yet.\n");
    }

    #[test]
    fn a_page_offers_to_extend_and_to_delete_each_paste_and_to_forget_the_browser() {
        let html = page(&[paste("<b>", Access::Open)]).html();
        for part in [
            "<bdi>&#60;b&#62;</bdi>",
            "name=\"id\" value=\"0123456789AB\"",
            "name=\"do\" value=\"extend\"",
            "name=\"do\" value=\"delete\"",
            "action=\"/bin/mine/forget\"",
            "<option value=\"1h\" selected>in 1 hour</option>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn a_visitor_without_pastes_is_told_how_to_get_a_list() {
        for (is_owner, makes_owners, words) in [
            (true, true, "You have no pastes here."),
            (false, true, "with the first paste"),
            (false, false, "needs HTTPS"),
        ] {
            let page = MinePage {
                is_owner,
                makes_owners,
                ..page(&[])
            };
            let html = page.html();
            assert!(html.contains(words), "{words} in {html}");
            assert!(!html.contains("name=\"do\""));
            assert_eq!(html.contains("/mine/forget"), is_owner);
            assert_eq!(html.contains("/mine/device"), makes_owners);
        }
    }

    #[test]
    fn only_a_list_without_an_account_has_a_secret_for_another_device() {
        for is_account in [false, true] {
            let page = MinePage {
                is_account,
                ..page(&[])
            };
            let html = page.html();
            assert_eq!(html.contains("name=\"show\""), !is_account);
            assert_eq!(html.contains("log in as you did here"), is_account);
        }
    }
}
