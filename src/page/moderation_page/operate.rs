//! The operator's page: the present numbers, charts of the last hour and day, the reports, and the blocked contents. It
//! exists as plain text for terminals too.
//!
//! Invariants: notes are shown with their unsafe characters in a visible form. A page of the reports shows at most
//! [`MOST_PASTES`] reported pastes with [`MOST_REPORTS`] reports each, and [`MOST_BLOCKS`] blocked contents, so its
//! size is bounded.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write;

use askama::Template;

use crate::date::Utc;
use crate::page::stats_page::chart::Chart;
use crate::page::{humanize, template};
use crate::render::visible;

const MOST_PASTES: usize = 100;
const MOST_REPORTS: usize = 5;
const MOST_BLOCKS: usize = 100;

/// The contents of the page.
#[derive(Clone, Copy)]
pub struct OperatePage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: &'a str,
    /// The operator's latest action.
    pub done: Option<Done>,
    /// The id or the slug of the paste that the operator has just removed, or whose reports.
    pub paste: Option<&'a str>,
    /// The stored pastes, and the transfers in progress.
    pub now: OperateNow,
    /// Numbers since the start, with their names.
    pub facts: &'a [(&'a str, u64)],
    /// Requests, saves and refusals per minute, oldest first. The last count is of the current minute.
    pub by_minute: [&'a [u32]; 3],
    /// The same per hour.
    pub by_hour: [&'a [u32]; 3],
    /// Whether readers can report pastes.
    pub takes_reports: bool,
    /// All reported pastes, those to look at first at the start.
    pub reported: &'a [ReportedPasteLine<'a>],
    /// The page of the reports, from 1. One after the last page shows the last.
    pub number: usize,
    /// The blocked contents, the latest first.
    pub blocks: &'a [BlockLine<'a>],
    /// The maximum number of characters of a reason.
    pub max_chars: usize,
}

/// The stored pastes, and the transfers in progress.
#[derive(Debug, Clone, Copy)]
pub struct OperateNow {
    /// Stored pastes.
    pub pastes: usize,
    /// The bytes that they are charged.
    pub bytes: usize,
    /// The bytes that all pastes may be charged.
    pub budget: usize,
    /// Uploads and large responses in progress.
    pub transfers: usize,
}

impl OperateNow {
    fn facts(self) -> [(&'static str, String); 3] {
        let [bytes, budget] = [self.bytes, self.budget].map(humanize::size);
        [
            ("Pastes", humanize::number(self.pastes)),
            ("Space in use", format!("{bytes} of {budget}")),
            ("Transfers in progress", humanize::number(self.transfers)),
        ]
    }
}

/// A reported paste.
pub struct ReportedPasteLine<'a> {
    /// The paste's id.
    pub id: &'a str,
    /// The number of networks that reported it.
    pub networks: usize,
    /// The reports, the latest first.
    pub reports: Vec<ReportLine<'a>>,
}

/// A report.
#[derive(Clone, Copy)]
pub struct ReportLine<'a> {
    /// When it was sent, in milliseconds since 1970.
    pub at: u64,
    /// The keyed hash of its network.
    pub network: &'a str,
    /// The reader's words.
    pub note: &'a str,
}

/// A blocked content.
pub struct BlockLine<'a> {
    /// Its SHA-256.
    pub sha256: String,
    /// When it was blocked, in milliseconds since 1970.
    pub since: u64,
    /// The operator's words, or nothing.
    pub note: &'a str,
}

/// An action of the operator by a form of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// Removed a paste.
    Removed,
    /// Removed a paste and blocked its content.
    RemovedAndBlocked,
    /// Dismissed the reports about a paste.
    Dismissed,
    /// Blocked a content.
    Blocked,
    /// Allowed a content again.
    Unblocked,
}

impl Done {
    const ALL: [Self; 5] = [
        Self::Removed,
        Self::RemovedAndBlocked,
        Self::Dismissed,
        Self::Blocked,
        Self::Unblocked,
    ];

    /// Returns the name in a query.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::RemovedAndBlocked => "removed-and-blocked",
            Self::Dismissed => "dismissed",
            Self::Blocked => "blocked",
            Self::Unblocked => "unblocked",
        }
    }

    /// Returns the action with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|done| done.name() == name)
    }

    /// Returns the action as a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Removed => "The paste was removed.",
            Self::RemovedAndBlocked => {
                "The paste was removed, and saving its content again is refused."
            }
            Self::Dismissed => "The reports about the paste were dismissed.",
            Self::Blocked => "Saving this content is refused from now on.",
            Self::Unblocked => "This content can be saved again.",
        }
    }
}

/// The debug texts have no ids and no hashes, which must not be logged.
macro_rules! secret {
    ($($name:ident)+) => {$(
        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(secret)"))
            }
        }
    )+};
}

secret!(OperatePage ReportedPasteLine ReportLine BlockLine);

#[derive(Template)]
#[template(path = "operate.html", config = "src/page/askama.toml")]
struct OperateTemplate<'a> {
    page: &'a OperatePage<'a>,
    now: [(&'static str, String); 3],
    facts: Vec<(&'a str, String)>,
    charts: Vec<(&'static str, Chart<'a>)>,
    /// The reported pastes of this page.
    reported: &'a [ReportedPasteLine<'a>],
    /// The page of the reports, and how many there are.
    number: usize,
    pages: usize,
    more_blocks: usize,
}

impl OperateTemplate<'_> {
    fn shown<'a>(&self, note: &'a str) -> Cow<'a, str> {
        visible(note)
    }

    fn date(&self, millis: &u64) -> Utc {
        Utc::from_epoch_millis(*millis)
    }

    fn reporters(&self, networks: &usize) -> String {
        format!("Reported from {}", humanize::count(*networks, "network"))
    }
}

/// Returns the page as HTML.
#[must_use]
pub fn operate(page: &OperatePage<'_>) -> String {
    let mut pages = page.reported.chunks(MOST_PASTES);
    let count = pages.len().max(1);
    let number = page.number.clamp(1, count);
    let template = OperateTemplate {
        page,
        reported: pages.nth(number - 1).unwrap_or_default(),
        number,
        pages: count,
        now: page.now.facts(),
        facts: page
            .facts
            .iter()
            .map(|(name, number)| (*name, humanize::number(*number)))
            .collect(),
        charts: charts(page),
        more_blocks: page.blocks.len().saturating_sub(MOST_BLOCKS),
    };
    template::write(&template, 64 * 1024)
}

/// Returns the numbers and the charts as plain text for a terminal.
#[must_use]
pub fn operate_text(page: &OperatePage<'_>) -> String {
    let mut text = String::new();
    let line = "a string takes everything";
    for (name, fact) in page.now.facts() {
        writeln!(text, "{name}: {fact}").expect(line);
    }
    for (name, number) in page.facts {
        writeln!(text, "{name}: {}", humanize::number(*number)).expect(line);
    }
    for (_, chart) in charts(page) {
        let (span, summary, bars) = (chart.span(), chart.summary(), chart.in_text());
        writeln!(text, "Last {span}: {summary}\n{bars}").expect(line);
    }
    let (reported, blocks) = (page.reported.len(), page.blocks.len());
    let reported = humanize::count(reported, "reported paste");
    let blocks = humanize::count(blocks, "blocked content");
    writeln!(text, "{reported}\n{blocks}").expect(line);
    text
}

fn charts<'a>(page: &OperatePage<'a>) -> Vec<(&'static str, Chart<'a>)> {
    let names = [
        ("Requests", "request"),
        ("Saves", "save"),
        ("Refusals", "refusal"),
    ];
    let of = |unit, series: [&'a [u32]; 3]| {
        let named = names.into_iter().zip(series);
        named.map(move |((what, noun), counts)| (what, Chart { counts, unit, noun }))
    };
    of("minute", page.by_minute)
        .chain(of("hour", page.by_hour))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(reported: &[ReportedPasteLine<'_>], blocks: &[BlockLine<'_>]) -> String {
        html_of_page(1, reported, blocks)
    }

    fn html_of_page(
        number: usize,
        reported: &[ReportedPasteLine<'_>],
        blocks: &[BlockLine<'_>],
    ) -> String {
        operate(&OperatePage {
            base_path: "",
            done: Some(Done::Removed),
            paste: Some("notes"),
            now: OperateNow {
                pastes: 12_345,
                bytes: 3 << 19,
                budget: 128 << 20,
                transfers: 0,
            },
            facts: &[("Saves", 23_456)],
            by_minute: [&[1, 2], &[0, 1], &[0, 0]],
            by_hour: [&[3], &[1], &[0]],
            takes_reports: true,
            reported,
            number,
            blocks,
            max_chars: 300,
        })
    }

    fn reported<'a>(id: &'a str, note: &'a str, networks: usize) -> ReportedPasteLine<'a> {
        let report = ReportLine {
            at: 951_782_400_000,
            network: "0123456789abcdef",
            note,
        };
        ReportedPasteLine {
            id,
            networks,
            reports: vec![report; networks],
        }
    }

    #[test]
    fn the_page_shows_numbers_charts_reports_and_blocks_with_their_forms() {
        let block = BlockLine {
            sha256: "ab".repeat(32),
            since: 0,
            note: "spam",
        };
        let html = html(&[reported("0123456789AB", "bad <b>\u{202e}", 2)], &[block]);
        for part in [
            "<p class=\"note\" role=\"status\">The paste was removed. <code>/notes</code></p>",
            "<dt>Pastes</dt><dd>12,345</dd>",
            "<dd>1.5 MiB of 128 MiB</dd>",
            "<dt>Saves</dt><dd>23,456</dd>",
            "Last 2 minutes: 3 requests, at most 2 per minute",
            "Last 1 hour: no refusals",
            "href=\"/0123456789AB\"",
            "Reported from 2 networks",
            "bad &#60;b&#62;[U+202E]",
            "0123456789abcdef",
            "name=\"act\" value=\"remove\"",
            "name=\"act\" value=\"dismiss\"",
            "name=\"act\" value=\"unblock\"",
            &"ab".repeat(32),
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(html.matches("<svg").count(), 6);
    }

    #[test]
    fn the_page_is_bounded_and_leads_to_the_reports_that_it_leaves_out() {
        let ids: Vec<String> = (0..150).map(|number| format!("{number:012}")).collect();
        let pastes: Vec<_> = ids.iter().map(|id| reported(id, "spam", 9)).collect();
        let block = |number: usize| BlockLine {
            sha256: format!("{number:064x}"),
            since: 0,
            note: "",
        };
        let blocks: Vec<_> = (0..120).map(block).collect();
        let html = html(&pastes, &blocks);
        assert_eq!(html.matches("0123456789abcdef").count(), 100 * 5);
        assert_eq!(html.matches("value=\"unblock\"").count(), 100 + 1);
        assert!(html.contains("Page 1 of 2 (150 reported pastes)"), "{html}");
        assert!(html.contains("href=\"/operate?page=2\""), "{html}");
        assert!(html.contains("20 more"), "{html}");
        // The next page has the rest, and so does one after the last.
        for number in [2, 3, usize::MAX] {
            let html = html_of_page(number, &pastes, &blocks);
            assert_eq!(html.matches("0123456789abcdef").count(), 50 * 5);
            assert!(html.contains("action=\"/operate?page=2\""), "{html}");
            assert!(html.contains("href=\"/operate?page=1\""), "{html}");
            assert!(!html.contains("page=3"), "{html}");
        }
    }

    #[test]
    fn what_was_done_is_found_by_its_name() {
        for done in Done::ALL {
            assert_eq!(Done::named(done.name()), Some(done));
        }
        assert_eq!(Done::named("<b>"), None);
    }
}
