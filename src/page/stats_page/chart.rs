//! Charts: bars that show counts over time. A chart is drawn as SVG or as one line of text.
//!
//! Invariants: a chart contains only numbers and words of the program, so nothing must be escaped. The bar of a count
//! above zero is always visible.
//! Cost: the SVG takes at most 170 bytes per count.

use std::fmt;

use crate::page::humanize;

/// A series of counts, one per unit of time.
#[derive(Debug, Clone, Copy)]
pub(in crate::page) struct Chart<'a> {
    /// The counts, oldest first. The last one is of the current unit of time.
    pub(in crate::page) counts: &'a [u32],
    /// The name of the unit of time, such as `hour`.
    pub(in crate::page) unit: &'static str,
    /// The name of the counted event, such as `view`.
    pub(in crate::page) noun: &'static str,
}

/// Height of the highest bar, in SVG units.
const HEIGHT: u64 = 100;

/// Width of a bar and of the gap after it, in SVG units.
const STEP: usize = 10;

impl Chart<'_> {
    /// Returns the time that the chart covers, such as `24 hours`.
    pub(in crate::page) fn span(&self) -> String {
        humanize::count(self.counts.len(), self.unit)
    }

    /// Returns a summary, such as `12 views, at most 5 per hour`.
    pub(in crate::page) fn summary(&self) -> String {
        let sum: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        if sum == 0 {
            return format!("no {}s", self.noun);
        }
        let sum = humanize::count(sum, self.noun);
        let peak = humanize::number(self.peak());
        format!("{sum}, at most {peak} per {}", self.unit)
    }

    /// Returns the rows of a table, the latest first. Each row has the unit of time and its count. Units with a count
    /// of zero are left out.
    pub(in crate::page) fn rows(&self) -> Vec<(String, String)> {
        let latest_first = self.counts.iter().rev().enumerate();
        latest_first
            .filter(|(_, count)| **count > 0)
            .map(|(ago, count)| (self.when(ago), humanize::number(*count)))
            .collect()
    }

    /// Returns the chart as text for terminals, with one character per count.
    pub(in crate::page) fn in_text(&self) -> String {
        const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let height = |count: &u32| usize::try_from(self.height(*count, 8)).expect("at most 8");
        self.counts
            .iter()
            .map(|count| BARS[height(count)])
            .collect()
    }

    fn peak(&self) -> u32 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// Returns the height of a bar, if the highest bar stands for `highest`. The height is rounded up, so that only a
    /// count of zero has no height.
    fn height(&self, count: u32, highest: u64) -> u64 {
        (u64::from(count) * highest).div_ceil(u64::from(self.peak()).max(1))
    }

    /// Returns the name of a past unit of time, such as `this hour` or `3 hours ago`. Days are those of UTC.
    fn when(&self, ago: usize) -> String {
        match ago {
            0 if self.unit == "day" => "today (UTC)".to_owned(),
            0 => format!("this {}", self.unit),
            _ => format!("{} ago", humanize::count(ago, self.unit)),
        }
    }
}

/// Writes the chart as SVG. Each count has a transparent column of full height, so that a pointer also finds the count
/// of a low bar.
impl fmt::Display for Chart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.counts.len() * STEP;
        write!(
            f,
            "<svg class=\"chart\" viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"Last {}: {}\">",
            self.span(),
            self.summary()
        )?;
        for (at, count) in self.counts.iter().enumerate() {
            let when = self.when(self.counts.len() - 1 - at);
            let counted = humanize::count(*count, self.noun);
            let x = at * STEP;
            write!(
                f,
                "<g><title>{when}: {counted}</title><path class=\"slot\" d=\"M{x} 0h{STEP}v{HEIGHT}h-{STEP}z\"/>"
            )?;
            let height = self.height(*count, HEIGHT);
            if height > 0 {
                let (x, bar) = (x + 1, STEP - 2);
                write!(f, "<path d=\"M{x} {HEIGHT}v-{height}h{bar}v{height}z\"/>")?;
            }
            f.write_str("</g>")?;
        }
        f.write_str("</svg>")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chart(counts: &[u32]) -> Chart<'_> {
        Chart {
            counts,
            unit: "hour",
            noun: "view",
        }
    }

    #[test]
    fn a_summary_has_the_sum_and_the_peak() {
        assert_eq!(
            chart(&[0, 1500, 2]).summary(),
            "1,502 views, at most 1,500 per hour"
        );
        assert_eq!(chart(&[1]).summary(), "1 view, at most 1 per hour");
        assert_eq!(chart(&[0, 0]).summary(), "no views");
        let days = Chart {
            counts: &[2; 30],
            unit: "day",
            noun: "click",
        };
        assert_eq!(days.summary(), "60 clicks, at most 2 per day");
    }

    #[test]
    fn a_table_has_the_latest_count_first_and_no_zeros() {
        let rows = chart(&[3, 0, 1, 2]).rows();
        let rows: Vec<_> = rows
            .iter()
            .map(|(when, count)| format!("{when} {count}"))
            .collect();
        assert_eq!(rows, ["this hour 2", "1 hour ago 1", "3 hours ago 3"]);
    }

    #[test]
    fn a_line_of_text_has_a_character_per_count() {
        assert_eq!(chart(&[0, 1, 4, 8, 1000, 500]).in_text(), "·▁▁▁█▄");
        assert_eq!(chart(&[0, 0]).in_text(), "··");
    }

    #[test]
    fn a_picture_has_a_label_and_a_title_for_each_bar() {
        let svg = chart(&[4, 0, 1]).to_string();
        assert!(
            svg.contains("role=\"img\" aria-label=\"Last 3 hours: 5 views, at most 4 per hour\"")
        );
        assert!(svg.contains("<title>2 hours ago: 4 views</title>"));
        assert!(svg.contains("<title>this hour: 1 view</title>"));
        assert!(svg.contains("<path d=\"M1 100v-100h8v100z\"/>"));
        assert!(svg.contains("<path d=\"M21 100v-25h8v25z\"/>"));
        assert_eq!(svg.matches("<path d=").count(), 2);
    }

    proptest! {
        #[test]
        fn only_zero_has_no_bar_and_no_bar_is_higher_than_the_picture(counts in prop::collection::vec(any::<u32>(), 0..40)) {
            let chart = chart(&counts);
            for count in &counts {
                let height = chart.height(*count, HEIGHT);
                prop_assert!(height <= HEIGHT);
                prop_assert_eq!(height == 0, *count == 0);
            }
            prop_assert!(chart.to_string().len() <= 200 + 170 * counts.len());
        }
    }
}
