//! The operator's page: the present numbers, charts of the last hour and day, the reports, and the blocked contents. It
//! exists as plain text for terminals too.
//!
//! Invariants: notes and the beginnings of reported texts are shown with their unsafe characters in a visible form. A
//! page of the reports shows at most [`MOST_PASTES`] reported pastes with [`MOST_REPORTS`] reports each, and
//! [`MOST_BLOCKS`] blocked contents, so its size is bounded. No more pastes are loaded for it.

use std::fmt::Write;

use askama::Template;

use super::operator_view::{BlockedContent, ByEvent, Preview, ReportedPaste, ServerStatus};
use crate::date::Utc;
use crate::page::humanize;
use crate::page::site::Site;
use crate::page::stats_page::chart::Chart;
use crate::page::template::Page;
use crate::render::visible;

const MOST_PASTES: usize = 100;
const MOST_REPORTS: usize = 5;
const MOST_BLOCKS: usize = 100;

/// The contents of the page.
#[derive(Clone, Copy, Template)]
#[template(path = "operate.html", config = "src/page/askama.toml")]
pub(crate) struct OperatePage<'a> {
    pub(crate) site: &'a Site,
    /// The operator's latest action.
    pub(crate) done: Option<Act>,
    /// The id or the slug of the paste that the operator has just removed, or whose reports.
    pub(crate) paste: Option<&'a str>,
    pub(crate) status: &'a ServerStatus,
    /// All reported pastes, those to look at first at the start.
    pub(crate) reported: &'a [ReportedPaste],
    /// The previews of the shown ones, as far as they could be loaded.
    pub(crate) previews: &'a [Option<Preview>],
    /// The page of the reports, from 1. One after the last page shows the last.
    pub(crate) number: usize,
    /// The blocked contents, the latest first.
    pub(crate) blocks: &'a [BlockedContent],
    /// The maximum number of characters of a reason.
    pub(crate) max_chars: usize,
}

/// An action of the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Remove,
    RemoveAndBlock,
    Dismiss,
    Block,
    Unblock,
}

impl Act {
    const ALL: [Self; 5] = [
        Self::Remove,
        Self::RemoveAndBlock,
        Self::Dismiss,
        Self::Block,
        Self::Unblock,
    ];

    /// Returns the name that a query gives to the action once it is done, and the sentence that says so.
    pub(crate) fn done(self) -> [&'static str; 2] {
        match self {
            Self::Remove => ["removed", "The paste was removed."],
            Self::RemoveAndBlock => [
                "removed-and-blocked",
                "The paste was removed, and saving its content again is refused.",
            ],
            Self::Dismiss => ["dismissed", "The reports about the paste were dismissed."],
            Self::Block => ["blocked", "Saving this content is refused from now on."],
            Self::Unblock => ["unblocked", "This content can be saved again."],
        }
    }

    /// Returns the action that has this name once it is done.
    pub(crate) fn done_by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|act| act.done()[0] == name)
    }
}

impl<'a> OperatePage<'a> {
    /// The number of pages of the reports.
    fn pages(&self) -> usize {
        self.reported.len().div_ceil(MOST_PASTES).max(1)
    }

    /// The page of the reports that is shown.
    fn shown_page(&self) -> usize {
        self.number.clamp(1, self.pages())
    }

    /// Returns whether the content of the reported paste at this place of the page can be blocked.
    fn can_block(&self, place: &usize) -> bool {
        let preview = self.previews.get(*place).and_then(Option::as_ref);
        preview.is_none_or(|preview| preview.kind != Preview::PROTECTED)
    }

    /// Returns the reported pastes of this page.
    pub(crate) fn shown(&self) -> &'a [ReportedPaste] {
        let mut pages = self.reported.chunks(MOST_PASTES);
        pages.nth(self.shown_page() - 1).unwrap_or_default()
    }

    fn charts(&self) -> Vec<(&'static str, Chart<'a>)> {
        let status = self.status;
        let of = |unit, counts: &'a ByEvent<Vec<u32>>| {
            [
                ("Requests", "request", &counts.requests),
                ("Saves", "save", &counts.saves),
                ("Refusals", "refusal", &counts.refused),
            ]
            .map(|(what, noun, counts)| (what, Chart { counts, unit, noun }))
        };
        [of("minute", &status.by_minute), of("hour", &status.by_hour)].concat()
    }
}

impl Page for OperatePage<'_> {
    /// Returns the numbers and the charts.
    fn text(&self) -> String {
        let mut text = String::new();
        let line = "a string takes everything";
        for (name, fact) in self.status.now().chain(self.status.facts()) {
            writeln!(text, "{name}: {fact}").expect(line);
        }
        for (_, chart) in self.charts() {
            let (span, summary, bars) = (chart.span(), chart.summary(), chart.in_text());
            writeln!(text, "Last {span}: {summary}\n{bars}").expect(line);
        }
        let (reported, blocks) = (self.reported.len(), self.blocks.len());
        let reported = humanize::count(reported, "reported paste");
        let blocks = humanize::count(blocks, "blocked content");
        writeln!(text, "{reported}\n{blocks}").expect(line);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::moderation_page::operator_view::NetworkReport;
    use crate::page::site::site;
    use crate::page::to_html;

    fn html(reported: &[ReportedPaste], blocks: &[BlockedContent]) -> String {
        html_of_page(1, reported, blocks)
    }

    fn html_of_page(
        number: usize,
        reported: &[ReportedPaste],
        blocks: &[BlockedContent],
    ) -> String {
        to_html(&OperatePage {
            site: site(""),
            done: Some(Act::Remove),
            paste: Some("notes"),
            status: &status(),
            reported,
            previews: &[],
            number,
            blocks,
            max_chars: 300,
        })
    }

    fn status() -> ServerStatus {
        let counts = |requests: &[u32], saves: &[u32], refused: &[u32]| ByEvent {
            requests: requests.to_vec(),
            saves: saves.to_vec(),
            refused: refused.to_vec(),
        };
        ServerStatus {
            pastes: Some(12_345),
            bytes: 3 << 19,
            budget: 128 << 20,
            saves: 23_456,
            last_backup: Some(0),
            by_minute: counts(&[1, 2], &[0, 1], &[0, 0]),
            by_hour: counts(&[3], &[1], &[0]),
            ..ServerStatus::default()
        }
    }

    fn reported(id: &str, reason: &str, networks: usize) -> ReportedPaste {
        let report = NetworkReport {
            at: 951_782_400_000,
            network: "0123456789abcdef".to_owned(),
            reason: reason.to_owned(),
        };
        ReportedPaste {
            id: id.to_owned(),
            url: String::new(),
            networks,
            reports: vec![report; networks],
        }
    }

    #[test]
    fn the_page_shows_numbers_charts_reports_and_blocks_with_their_forms() {
        let block = BlockedContent {
            sha256: "ab".repeat(32),
            since: 0,
            reason: Some("spam".to_owned()),
        };
        let html = html(&[reported("0123456789AB", "bad <b>\u{202e}", 2)], &[block]);
        for part in [
            "<p class=\"note\" role=\"status\">The paste was removed. <code>/notes</code></p>",
            "<dt>Pastes</dt><dd>12,345</dd>",
            "<dd>1.5 MiB of 128 MiB</dd>",
            "<dt>Saves</dt><dd>23,456</dd>",
            "<dt>Last backup</dt><dd>never</dd>",
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
        let block = |number: usize| BlockedContent {
            sha256: format!("{number:064x}"),
            since: 0,
            reason: None,
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
        for act in Act::ALL {
            assert_eq!(Act::done_by_name(act.done()[0]), Some(act));
        }
        assert_eq!(Act::done_by_name("<b>"), None);
    }
}
