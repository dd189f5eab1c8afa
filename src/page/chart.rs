//! Charts: counts over time as bars, drawn as SVG and as one line of text.
//!
//! What it must not know: what was counted, and when now is: the last count is of the present unit of time.
//! Invariants: a chart is of numbers and of words of the program, so nothing in it needs escaping. A bar that is not
//! nothing is seen, however small it is beside the highest.
//! Cost: at most 170 bytes a count.

use std::fmt;

use crate::render::humanize;

/// Counts, the present one last, with what they are of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chart<'a> {
    /// One for each unit of time.
    pub(crate) counts: &'a [u32],
    /// A unit of time: `hour`.
    pub(crate) unit: &'static str,
    /// What was counted: `read`.
    pub(crate) noun: &'static str,
}

/// The height of the highest bar, in the picture's own measure.
const HEIGHT: u64 = 100;

/// The width of a bar with the gap after it.
const STEP: usize = 10;

impl Chart<'_> {
    /// `24 hours`.
    pub(crate) fn span(&self) -> String {
        humanize::counted(self.counts.len(), self.unit)
    }

    /// `12 reads, at most 5 an hour`.
    pub(crate) fn summary(&self) -> String {
        let sum = self.counts.iter().fold(0, |sum: usize, count| {
            sum.saturating_add(humanize::number(*count))
        });
        let sum_in_words = humanize::counted(sum, self.noun);
        if sum == 0 {
            return format!("no {}s", self.noun);
        }
        let peak = humanize::grouped(humanize::number(self.peak()));
        // The article of the only two units there are.
        let article = if self.unit == "hour" { "an" } else { "a" };
        format!("{sum_in_words}, at most {peak} {article} {}", self.unit)
    }

    /// What is in the table: each unit of time with its count, the latest first, without those of nothing.
    pub(crate) fn rows(&self) -> Vec<(String, String)> {
        let latest_first = self.counts.iter().rev().enumerate();
        latest_first
            .filter(|(_, count)| **count > 0)
            .map(|(ago, count)| (self.when(ago), humanize::grouped(humanize::number(*count))))
            .collect()
    }

    /// One character a count, for a terminal.
    pub(crate) fn in_text(&self) -> String {
        const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let bar = |count: &u32| match self.height(*count, 8) {
            0 => '·',
            height => BARS
                .get(usize::try_from(height - 1).unwrap_or(0))
                .copied()
                .unwrap_or('█'),
        };
        self.counts.iter().map(bar).collect()
    }

    fn peak(&self) -> u32 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// The height of a bar where the highest has so much: rounded up, so that only nothing is nothing.
    fn height(&self, count: u32, highest: u64) -> u64 {
        (u64::from(count) * highest).div_ceil(u64::from(self.peak()).max(1))
    }

    /// `this hour`, `3 hours ago`.
    fn when(&self, ago: usize) -> String {
        match ago {
            0 => format!("this {}", self.unit),
            _ => format!("{} ago", humanize::counted(ago, self.unit)),
        }
    }
}

/// The picture. A column is as high as the picture, so that a small bar tells its count to a pointer too.
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
            let told = humanize::counted(humanize::number(*count), self.noun);
            let x = at * STEP;
            write!(
                f,
                "<g><title>{when}: {told}</title><path class=\"slot\" d=\"M{x} 0h{STEP}v{HEIGHT}h-{STEP}z\"/>"
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
            noun: "read",
        }
    }

    #[test]
    fn a_summary_tells_the_sum_and_the_peak() {
        assert_eq!(
            chart(&[0, 1500, 2]).summary(),
            "1,502 reads, at most 1,500 an hour"
        );
        assert_eq!(chart(&[1]).summary(), "1 read, at most 1 an hour");
        assert_eq!(chart(&[0, 0]).summary(), "no reads");
        let days = Chart {
            counts: &[2; 30],
            unit: "day",
            noun: "click",
        };
        assert_eq!(days.summary(), "60 clicks, at most 2 a day");
    }

    #[test]
    fn a_table_has_what_was_the_latest_first() {
        let rows = chart(&[3, 0, 1, 2]).rows();
        let rows: Vec<_> = rows
            .iter()
            .map(|(when, count)| format!("{when} {count}"))
            .collect();
        assert_eq!(rows, ["this hour 2", "1 hour ago 1", "3 hours ago 3"]);
    }

    #[test]
    fn a_line_of_text_has_a_character_a_count() {
        assert_eq!(chart(&[0, 1, 4, 8, 1000, 500]).in_text(), "·▁▁▁█▄");
        assert_eq!(chart(&[0, 0]).in_text(), "··");
    }

    #[test]
    fn a_picture_says_what_it_shows_and_names_each_of_its_bars() {
        let svg = chart(&[4, 0, 1]).to_string();
        assert!(
            svg.contains("role=\"img\" aria-label=\"Last 3 hours: 5 reads, at most 4 an hour\"")
        );
        assert!(svg.contains("<title>2 hours ago: 4 reads</title>"));
        assert!(svg.contains("<title>this hour: 1 read</title>"));
        assert!(svg.contains("<path d=\"M1 100v-100h8v100z\"/>"));
        assert!(svg.contains("<path d=\"M21 100v-25h8v25z\"/>"));
        assert_eq!(svg.matches("<path d=").count(), 2);
    }

    proptest! {
        #[test]
        fn what_is_not_nothing_is_seen_and_nothing_is_higher_than_the_picture(counts in prop::collection::vec(any::<u32>(), 0..40)) {
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
