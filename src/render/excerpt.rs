//! An excerpt: as much of a text as a page shows.
//!
//! What it must not know: how it is shown.
//! Invariants: the text's beginning, at most [`Excerpt::MOST_LINES`] lines and [`Excerpt::MOST_BYTES`] bytes of it, cut
//! between characters.
//! Cost: one pass to count the lines.

use crate::render::humanize;

/// The beginning of a text, nearly always all of it.
#[derive(Clone, Copy)]
pub(crate) struct Excerpt<'a> {
    text: &'a str,
    shown: &'a str,
    lines: usize,
}

impl<'a> Excerpt<'a> {
    /// More lines make browsers slow.
    pub(crate) const MOST_LINES: usize = 20_000;
    /// More bytes make browsers slow, in few lines too.
    pub(crate) const MOST_BYTES: usize = 4 * 1024 * 1024;

    /// What is shown of this text.
    pub(crate) fn of(text: &'a str) -> Self {
        let line_feeds = text.bytes().filter(|byte| *byte == b'\n').count();
        let lines = line_feeds + usize::from(!text.ends_with('\n'));
        let within_lines = if lines > Self::MOST_LINES {
            text.split_inclusive('\n')
                .take(Self::MOST_LINES)
                .map(str::len)
                .sum()
        } else {
            text.len()
        };
        let end = text.floor_char_boundary(within_lines.min(Self::MOST_BYTES));
        Self {
            text,
            shown: &text[..end],
            lines,
        }
    }

    /// What is shown.
    pub(crate) fn shown(&self) -> &'a str {
        self.shown
    }

    /// Lines of the whole text.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Whether all of the text is shown.
    pub(crate) fn is_whole(&self) -> bool {
        self.shown.len() == self.text.len()
    }

    /// How many lines are shown, if not all.
    pub(crate) fn shown_lines(&self) -> Option<usize> {
        let count = || self.shown.split_inclusive('\n').count();
        (!self.is_whole()).then(count)
    }

    /// A sentence that says what is shown, unless everything is.
    pub(crate) fn what_is_shown(&self) -> Option<String> {
        let shown = self.shown_lines()?;
        Some(if shown == Self::MOST_LINES && self.shown.ends_with('\n') {
            format!(
                "Only the first {} of {} are shown here.",
                humanize::grouped(shown),
                humanize::counted(self.lines, "line")
            )
        } else {
            format!(
                "Only the first {} of {} are shown here.",
                humanize::size(self.shown.len()),
                humanize::size(self.text.len())
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_as_many_lines_as_line_feeds_and_one_more_if_it_does_not_end_with_one() {
        for (text, lines) in [("a", 1), ("a\n", 1), ("\n", 1), ("a\nb", 2), ("\n\n", 2)] {
            assert_eq!(Excerpt::of(text).lines(), lines, "{text:?}");
        }
    }

    #[test]
    fn beyond_20_000_lines_the_rest_is_left_out_and_it_says_so() {
        let full = "\n".repeat(Excerpt::MOST_LINES);
        assert_eq!(Excerpt::of(&full).what_is_shown(), None);
        let more = full.clone() + "x";
        let excerpt = Excerpt::of(&more);
        assert_eq!(excerpt.shown(), full);
        assert_eq!(
            excerpt.what_is_shown().as_deref(),
            Some("Only the first 20,000 of 20,001 lines are shown here.")
        );
    }

    #[test]
    fn beyond_4_mib_the_rest_is_left_out_between_characters() {
        let full = "é".repeat(Excerpt::MOST_BYTES / 2);
        assert_eq!(Excerpt::of(&full).what_is_shown(), None);
        let more = format!("a{full}");
        let excerpt = Excerpt::of(&more);
        assert_eq!(excerpt.shown().len(), Excerpt::MOST_BYTES - 1);
        assert_eq!(
            excerpt.what_is_shown().as_deref(),
            Some("Only the first 3.9 MiB of 4 MiB are shown here.")
        );
    }
}
