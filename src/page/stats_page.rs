//! The page that tells how often a paste was read or a short link was followed, and the same as text for terminals.
//!
//! What it must not know: who read and from where, which nobody records; and the content.

use std::fmt;
use std::fmt::Write;
use std::time::Duration;

use askama::Template;

use crate::date::Utc;
use crate::page::chart::Chart;
use crate::render::humanize;

/// Counts and what is true of their paste at this moment.
#[derive(Clone, Copy)]
pub struct StatsPage<'a> {
    /// The paste's id.
    pub id: &'a str,
    /// Its absolute address.
    pub url: &'a str,
    /// Whether it is a short link, which is followed and not read.
    pub is_link: bool,
    /// Reads since it was saved.
    pub total: u32,
    /// Reads in each of the last hours, the present one last.
    pub by_hour: &'a [u32],
    /// Reads in each of the last days, the present one last.
    pub by_day: &'a [u32],
    /// How long ago it was saved.
    pub age: Duration,
    /// How soon it goes out; none if it does not.
    pub expires_in: Option<Duration>,
    /// When it goes out, in milliseconds since 1970.
    pub expires_at: Option<u64>,
    /// How often it can still be read; none if that is not counted.
    pub reads_left: Option<u8>,
}

/// Whoever has an id has the paste, so neither reaches a log.
impl fmt::Debug for StatsPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatsPage(secret)")
    }
}

#[derive(Template)]
#[template(path = "stats.html", config = "src/page/askama.toml")]
struct StatsTemplate<'a> {
    page: &'a StatsPage<'a>,
    charts: [Chart<'a>; 2],
    what: &'static str,
    saved: String,
    total: String,
    left: Option<String>,
    goes_out: String,
    goes_out_at: Option<Utc>,
}

/// The page as HTML.
#[must_use]
pub fn stats(page: &StatsPage<'_>) -> String {
    let template = StatsTemplate {
        page,
        charts: charts(page),
        what: if page.is_link { "Clicks" } else { "Reads" },
        saved: humanize::ago(page.age),
        total: total(page),
        left: page
            .reads_left
            .map(|left| humanize::more_times(left.into())),
        goes_out: humanize::going_out(page.expires_in),
        goes_out_at: page.expires_at.map(Utc::from_epoch_millis),
    };
    crate::page::write(&template, 200 * (page.by_hour.len() + page.by_day.len()))
}

/// The same for a terminal, one fact a line.
#[must_use]
pub fn stats_text(page: &StatsPage<'_>) -> String {
    let mut text = format!(
        "{}\n{}\nsaved {}\n{}\n",
        page.url,
        total(page),
        humanize::ago(page.age),
        humanize::going_out(page.expires_in)
    );
    if let Some(left) = page.reads_left {
        // A string takes everything.
        let _ = writeln!(text, "can be read {}", humanize::more_times(left.into()));
    }
    for chart in charts(page) {
        let (span, summary) = (chart.span(), chart.summary());
        let _ = writeln!(text, "last {span}: {summary}\n{}", chart.in_text());
    }
    text.push_str("places are not recorded, on purpose\n");
    text
}

fn charts<'a>(page: &StatsPage<'a>) -> [Chart<'a>; 2] {
    let noun = if page.is_link { "click" } else { "read" };
    [("hour", page.by_hour), ("day", page.by_day)].map(|(unit, counts)| Chart {
        counts,
        unit,
        noun,
    })
}

fn total(page: &StatsPage<'_>) -> String {
    humanize::done(if page.is_link { "followed" } else { "read" }, page.total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page<'a>(by_hour: &'a [u32], by_day: &'a [u32]) -> StatsPage<'a> {
        StatsPage {
            id: "0123456789AB",
            url: "https://bin.example/0123456789AB",
            is_link: false,
            total: 12,
            by_hour,
            by_day,
            age: Duration::from_secs(180),
            expires_in: Some(Duration::from_secs(604_620)),
            expires_at: Some(951_782_400_000),
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
    fn a_page_tells_the_counts_as_pictures_and_as_tables() {
        let (by_hour, by_day) = counts();
        let html = stats(&page(&by_hour, &by_day));
        for part in [
            "<span>read 12 times</span>",
            "<span>saved 3 minutes ago</span>",
            "<span>goes out in 7 days</span>",
            "<span>can be read 3 more times</span>",
            "aria-label=\"Last 24 hours: 7 reads, at most 5 an hour\"",
            "aria-label=\"Last 30 days: 12 reads, at most 7 a day\"",
            "<span>24 hours ago</span>",
            "<span>now</span>",
            "<th scope=\"row\">3 hours ago</th><td>5</td>",
            "<th scope=\"row\">this day</th><td>7</td>",
            "Places are not recorded, on purpose.",
            "href=\"/0123456789AB\"",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(html.matches("<svg").count(), 2);
    }

    #[test]
    fn what_was_not_read_has_no_table() {
        let html = stats(&StatsPage {
            total: 0,
            ..page(&[0; 24], &[0; 30])
        });
        assert!(html.contains("<span>not read yet</span>"));
        assert!(html.contains("aria-label=\"Last 24 hours: no reads\""));
        assert!(!html.contains("<details") && !html.contains("<table"));
    }

    #[test]
    fn a_link_is_followed_and_not_read() {
        let (by_hour, by_day) = counts();
        let page = StatsPage {
            is_link: true,
            reads_left: None,
            ..page(&by_hour, &by_day)
        };
        for told in [stats(&page), stats_text(&page)] {
            assert!(told.contains("followed 12 times") && told.contains("7 clicks"));
            assert!(!told.contains("read ") && !told.contains("more times"));
        }
    }

    #[test]
    fn a_terminal_gets_one_fact_a_line() {
        let (by_hour, by_day) = counts();
        assert_eq!(
            stats_text(&page(&by_hour, &by_day)),
            "https://bin.example/0123456789AB\n\
             read 12 times\n\
             saved 3 minutes ago\n\
             goes out in 7 days\n\
             can be read 3 more times\n\
             last 24 hours: 7 reads, at most 5 an hour\n\
             ····················█··▄\n\
             last 30 days: 12 reads, at most 7 a day\n\
             ▆····························█\n\
             places are not recorded, on purpose\n"
        );
    }
}
