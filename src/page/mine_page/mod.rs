//! The list of an owner's pastes. It exists as HTML and as plain text for terminals.
//!
//! Invariants: it is for the owner alone, so it is never cached. A name and a line are in a `<bdi>`, and their unsafe
//! characters are shown in a visible form.

mod device;

use std::borrow::Cow;
use std::fmt::Write;

use askama::Template;

use self::device::LOG_IN;
pub(crate) use self::device::{DevicePage, DeviceStep};
use crate::page::editor_page::expiry_options;
use crate::page::humanize;
use crate::page::paste_facts::PasteTimes;
use crate::page::site::Site;
use crate::page::template::Page;
use crate::paste::{Access, Encoding, ExpiryPolicy, Language, Listed, ReadsLeft, Timestamp};
use crate::render::visible;

/// A page of the list.
#[derive(Clone, Copy, Template)]
#[template(path = "mine.html", config = "src/page/askama.toml")]
pub(crate) struct MinePage<'a> {
    pub(crate) site: &'a Site,
    /// The ids, or the slugs, and the pastes, the latest content first.
    pub(crate) pastes: &'a [(String, Listed)],
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
    /// The lifetime that is selected, and the longest.
    pub(crate) expiry_policy: ExpiryPolicy,
    /// The URL of the server.
    pub(crate) base_url: &'a str,
    pub(crate) now: Timestamp,
}

impl<'a> MinePage<'a> {
    /// Returns the pastes below the names of the days of their saves.
    fn days(&self) -> Vec<(&'static str, &'a [(String, Listed)])> {
        let day = |(_, paste): &(String, Listed)| day(self.now, paste.summary.saved);
        let days = self.pastes.chunk_by(|one, next| day(one) == day(next));
        days.map(|pastes| (day(&pastes[0]), pastes)).collect()
    }

    fn times(&self, paste: &Listed) -> PasteTimes {
        PasteTimes::of(self.now, paste.summary.saved, paste.deadline)
    }
}

/// Returns the name of the day (UTC) of this time, or how long ago it was.
fn day(now: Timestamp, time: Timestamp) -> &'static str {
    const DAY: u64 = 86_400_000;
    match (now.as_millis() / DAY).saturating_sub(time.as_millis() / DAY) {
        0 => "Today",
        1 => "Yesterday",
        2..=7 => "Last week",
        8..=31 => "Last month",
        _ => "Earlier",
    }
}

/// Returns the title, or else the name that was derived from the content.
fn name(paste: &Listed) -> Option<Cow<'_, str>> {
    paste.summary.name().map(|title| visible(title.as_str()))
}

/// Returns the first line of the content, if it says more than the name.
fn line(paste: &Listed) -> Option<Cow<'_, str>> {
    let line = paste.summary.outline.as_ref()?.line.as_ref()?;
    Some(visible(line.as_str()))
}

/// The kind. Without an outline, only a language that was named is known.
fn kind(paste: &Listed) -> Option<&'static str> {
    let summary = &paste.summary;
    let is_text = match &summary.outline {
        Some(outline) => outline.language.is_some(),
        None => summary.encoding == Encoding::Utf8,
    };
    match paste.access {
        Access::Link => Some("Link"),
        Access::Locked(_) => Some("Password protected"),
        // Only several files have a line without a language.
        Access::Open | Access::Burn(_) if !is_text => match line(paste) {
            Some(_) => Some("Files"),
            None => Some("File"),
        },
        Access::Open | Access::Burn(_) => summary.language().map(Language::label),
    }
}

/// The size and the reads.
fn facts(paste: &Listed) -> Vec<String> {
    let (access, mut facts) = (paste.access, Vec::new());
    // Of an encrypted content, only the encrypted size is known.
    if !matches!(access, Access::Link | Access::Locked(_)) {
        facts.push(humanize::size(paste.summary.size));
    }
    let noun = match access {
        Access::Link => "click",
        Access::Open | Access::Burn(_) | Access::Locked(_) => "view",
    };
    facts.push(humanize::total(paste.reads, noun));
    let left = access.reads_left().map(ReadsLeft::get);
    facts.extend(left.map(humanize::views_left));
    facts
}

impl Page for MinePage<'_> {
    /// Returns two lines for each paste: its URL and name, and its facts.
    fn text(&self) -> String {
        let mut text = String::new();
        for (id, paste) in self.pastes {
            let name = name(paste).map_or(String::new(), |name| format!("  {name}"));
            let (base, times) = (self.base_url, self.times(paste));
            let kind = kind(paste).map(str::to_owned);
            let facts: Vec<_> = kind.into_iter().chain(facts(paste)).collect();
            let (facts, saved) = (facts.join(". "), humanize::ago(times.age));
            let times = format!("Saved {saved}. {}", humanize::expiry(times.expires_in));
            writeln!(text, "{base}/{id}{name}\n  {facts}. {times}.")
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::{limits, site};
    use crate::page::to_html;
    use crate::paste::{CharsetLabel, Deadline, Expiry, Outline, PasteId, Summary, Title};

    fn paste(title: &str, access: Access) -> (String, Listed) {
        let listed = Listed {
            id: PasteId::from_random([0; 8]),
            slug: None,
            summary: Summary {
                title: Title::new(title),
                language: Language::from_name("rust"),
                encoding: Encoding::Utf8,
                size: 1434,
                saved: Timestamp::default(),
                outline: None,
            },
            access,
            deadline: Deadline::after(
                Timestamp::default(),
                Expiry::from_seconds(3600).expect("an hour"),
            ),
            reads: 2,
        };
        ("0123456789AB".to_owned(), listed)
    }

    fn page(pastes: &[(String, Listed)]) -> MinePage<'_> {
        MinePage {
            site: site("/bin"),
            pastes,
            cursor: None,
            next: None,
            is_owner: true,
            is_account: false,
            has_key: false,
            takes_keys: false,
            makes_owners: true,
            expiry_policy: limits("1h", "never").expiry_policy,
            base_url: "https://bin.example",
            now: Timestamp::default(),
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
            "https://bin.example/0123456789AB  a[U+202E]b\n  Rust. 1.4 KiB. 2 views. Saved just now. Expires in 1 hour.\n\
             https://bin.example/0123456789AB\n  Rust. 1.4 KiB. 2 views. 3 views left. Saved just now. Expires in 1 hour.\n\
             https://bin.example/0123456789AB\n  Password protected. 2 views. Saved just now. Expires in 1 hour.\n\
             https://bin.example/0123456789AB  l\n  Link. 2 clicks. Saved just now. Expires in 1 hour.\n\
             More: https://bin.example/mine?cursor=7\n"
        );
        assert_eq!(page(&[]).text(), "No pastes yet.\n");
    }

    #[test]
    fn a_paste_without_a_title_is_called_by_its_outline_or_else_by_its_id() {
        let outlined = |name, line| {
            let (id, mut paste) = paste("", Access::Open);
            paste.summary.language = None;
            paste.summary.outline = Some(Outline {
                language: Language::from_name("python"),
                name: Title::new(name),
                line: Title::new(line),
            });
            (id, paste)
        };
        let pastes = [outlined("class <T>", "import a\u{202e}b"), outlined("", "")];
        let text = page(&pastes).text();
        let first = "https://bin.example/0123456789AB  class <T>\n  Python. 1.4 KiB.";
        assert!(text.starts_with(first), "{text}");
        let html = to_html(&page(&pastes));
        for part in [
            "class=\"first-line\" href=\"/bin/0123456789AB\"><bdi>class &#60;T&#62;</bdi>",
            "<code><bdi>import a[U+202E]b</bdi></code>",
            "<bdi>0123456789AB</bdi>",
            "<span class=\"kind\">Python</span>",
            "data-url=\"https://bin.example/0123456789AB\"",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn what_is_no_text_is_a_file_or_several_and_a_decoded_text_has_its_kind() {
        for (language, kind) in [(None, "File"), (Language::from_name("csv"), "CSV")] {
            let (_, mut paste) = paste("", Access::Open);
            paste.summary.encoding = Encoding::Other(CharsetLabel::NONE);
            paste.summary.language = language;
            assert_eq!(super::kind(&paste), Some("File"));
            paste.summary.outline = Some(Outline {
                language,
                name: None,
                line: None,
            });
            assert_eq!(super::kind(&paste), Some(kind));
        }
        let (_, mut paste) = paste("", Access::Open);
        paste.summary.outline = Some(Outline {
            language: None,
            name: Title::new("a.c and 1 more"),
            line: Title::new("a.c, b.c"),
        });
        assert_eq!(super::kind(&paste), Some("Files"));
    }

    #[test]
    fn pastes_are_below_the_days_on_which_they_were_saved() {
        const HOUR: u64 = 3_600_000;
        let now = Timestamp::from_millis(100 * 24 * HOUR + HOUR);
        let hours = [
            0,
            1,
            2,
            25,
            26,
            24 * 7 + 1,
            24 * 8 + 2,
            24 * 31 + 1,
            24 * 40,
        ];
        let pastes = hours.map(|hours| {
            let (id, mut paste) = paste("a", Access::Open);
            paste.summary.saved = Timestamp::from_millis(now.as_millis() - hours * HOUR);
            (id, paste)
        });
        let page = MinePage {
            now,
            ..page(&pastes)
        };
        let days = page.days().into_iter();
        let days: Vec<_> = days.map(|(day, pastes)| (day, pastes.len())).collect();
        let expected = [
            ("Today", 2),
            ("Yesterday", 2),
            ("Last week", 2),
            ("Last month", 2),
            ("Earlier", 1),
        ];
        assert_eq!(days, expected);
        let html = to_html(&page);
        assert!(html.contains("<h2>Last week</h2>"), "{html}");
    }

    #[test]
    fn a_row_tells_when_the_paste_was_saved_and_no_language_that_was_not_named() {
        let (id, mut unnamed) = paste("notes", Access::Open);
        unnamed.summary.language = None;
        let html = to_html(&page(&[(id, unnamed)]));
        let saved = "<span>Saved <time datetime=\"1970-01-01T00:00:00Z\" data-when=\"past\">";
        assert!(html.contains(saved), "{html}");
        assert!(
            html.contains("<p class=\"facts\"><span>1.4 KiB</span>"),
            "{html}"
        );
    }

    #[test]
    fn a_page_offers_to_extend_and_to_delete_each_paste_and_to_forget_the_browser() {
        let html = to_html(&page(&[paste("<b>", Access::Open)]));
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
            (false, false, "The last pastes that this browser saved."),
        ] {
            let page = MinePage {
                is_owner,
                makes_owners,
                ..page(&[])
            };
            let html = to_html(&page);
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
            let html = to_html(&page);
            assert_eq!(html.contains("name=\"show\""), !is_account);
            assert_eq!(html.contains("log in as you did here"), is_account);
        }
    }
}
