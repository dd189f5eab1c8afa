//! The page with the reads of a paste, or the clicks of a short link, over time. It exists as HTML and as plain text
//! for terminals.

pub(super) mod chart;

use std::fmt::Write;

use askama::Template;

use self::chart::Chart;
use crate::page::humanize;
use crate::page::paste_facts::PasteTimes;
use crate::page::site::Site;
use crate::page::template::Page;

/// The counts of a paste or a short link, and its state at the time of the request.
#[derive(Clone, Copy, Template)]
#[template(path = "stats.html", config = "src/page/askama.toml")]
pub(crate) struct StatsPage<'a> {
    pub(crate) site: &'a Site,
    /// The id of the paste or short link.
    pub(crate) id: &'a str,
    /// The absolute URL of the paste or short link.
    pub(crate) url: &'a str,
    /// Whether this is a short link. A short link has clicks, a paste has views.
    pub(crate) is_link: bool,
    /// The number of reads since the paste was saved.
    pub(crate) total: u32,
    /// Reads per hour, oldest first. The last count is of the current hour.
    pub(crate) by_hour: &'a [u32],
    /// Reads per day, oldest first. The last count is of the current day.
    pub(crate) by_day: &'a [u32],
    pub(crate) times: PasteTimes,
    /// The number of reads that are left. `None` means that reads are not limited.
    pub(crate) reads_left: Option<u8>,
}

impl<'a> StatsPage<'a> {
    /// Returns the heading.
    fn what(&self) -> &'static str {
        if self.is_link { "Clicks" } else { "Views" }
    }

    /// Returns the name of a counted event.
    fn noun(&self) -> &'static str {
        if self.is_link { "click" } else { "view" }
    }

    fn total(&self) -> String {
        humanize::total(self.total, self.noun())
    }

    fn charts(&self) -> [Chart<'a>; 2] {
        let noun = self.noun();
        [("hour", self.by_hour), ("day", self.by_day)].map(|(unit, counts)| Chart {
            counts,
            unit,
            noun,
        })
    }
}

impl Page for StatsPage<'_> {
    /// Returns the counts as plain text for a terminal, one fact per line.
    fn text(&self) -> String {
        let mut text = format!(
            "{}\n{}\nSaved {}\n{}\n",
            self.url,
            self.total(),
            humanize::ago(self.times.age),
            humanize::expiry(self.times.expires_in)
        );
        if let Some(left) = self.reads_left {
            text.extend([&humanize::views_left(left), "\n"]);
        }
        for chart in self.charts() {
            let (span, summary, bars) = (chart.span(), chart.summary(), chart.in_text());
            writeln!(text, "Last {span}: {summary}\n{bars}").expect("a string takes everything");
        }
        let noun = self.noun();
        writeln!(text, "We count {noun}s only: no addresses, no locations.")
            .expect("a string takes everything");
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::date::Utc;
    use crate::page::site::site;
    use crate::page::to_html;

    fn page<'a>(by_hour: &'a [u32], by_day: &'a [u32]) -> StatsPage<'a> {
        StatsPage {
            site: site(""),
            id: "0123456789AB",
            url: "https://bin.example/0123456789AB",
            is_link: false,
            total: 12,
            by_hour,
            by_day,
            times: PasteTimes {
                age: Duration::from_secs(180),
                saved_at: Utc::from_epoch_millis(951_696_000_000),
                expires_in: Some(Duration::from_secs(604_620)),
                expires_at: Some(Utc::from_epoch_millis(951_782_400_000)),
            },
            reads_left: Some(3),
        }
    }

    fn counts() -> ([u32; 24], [u32; 30]) {
        let (mut by_hour, mut by_day) = ([0; 24], [0; 30]);
        (by_hour[20], by_hour[23]) = (5, 2);
        (by_day[0], by_day[29]) = (5, 7);
        (by_hour, by_day)
    }

    #[test]
    fn a_page_shows_the_counts_as_charts_and_as_tables() {
        let (by_hour, by_day) = counts();
        let html = to_html(&page(&by_hour, &by_day));
        for part in [
            "<span>12 views</span>",
            "Saved <time datetime=\"2000-02-28T00:00:00Z\" data-when=\"past\">2000-02-28 00:00:00 UTC</time>",
            "Expires <time datetime=\"2000-02-29T00:00:00Z\" data-when=\"future\">",
            "<span>3 views left</span>",
            "aria-label=\"Last 24 hours: 7 views, at most 5 per hour\"",
            "aria-label=\"Last 30 days: 12 views, at most 7 per day\"",
            "<span>24 hours ago</span>",
            "<span>now</span>",
            "<th scope=\"row\">3 hours ago</th><td>5</td>",
            "<th scope=\"row\">today (UTC)</th><td>7</td>",
            "We count views only: no addresses, no locations.",
            "href=\"/0123456789AB\"",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(html.matches("<svg").count(), 2);
    }

    #[test]
    fn a_paste_without_views_has_no_table() {
        let page = StatsPage {
            total: 0,
            ..page(&[0; 24], &[0; 30])
        };
        let html = to_html(&page);
        assert!(html.contains("<span>No views yet</span>"));
        assert!(html.contains("aria-label=\"Last 24 hours: no views\""));
        assert!(!html.contains("Show as table") && !html.contains("<table"));
    }

    #[test]
    fn a_link_has_clicks_and_a_paste_has_views() {
        let (by_hour, by_day) = counts();
        let page = StatsPage {
            is_link: true,
            reads_left: None,
            ..page(&by_hour, &by_day)
        };
        for told in [to_html(&page), page.text()] {
            assert!(told.contains("12 clicks") && told.contains("7 clicks"));
            assert!(!told.to_lowercase().contains("views"));
        }
    }

    #[test]
    fn a_terminal_gets_one_fact_per_line() {
        let (by_hour, by_day) = counts();
        assert_eq!(
            page(&by_hour, &by_day).text(),
            "https://bin.example/0123456789AB\n\
             12 views\n\
             Saved 3 minutes ago\n\
             Expires in 7 days\n\
             3 views left\n\
             Last 24 hours: 7 views, at most 5 per hour\n\
             ····················█··▄\n\
             Last 30 days: 12 views, at most 7 per day\n\
             ▆····························█\n\
             We count views only: no addresses, no locations.\n"
        );
    }
}
