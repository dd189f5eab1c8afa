//! An excerpt: the part of a text that a page shows.
//!
//! Invariants: an excerpt is the beginning of the text. It has at most [`Excerpt::MAX_LINES`] lines and
//! [`Excerpt::MAX_BYTES`] bytes, and ends between two characters.
//! Cost: one pass over the text, which counts the lines.

use crate::render::humanize;

/// The beginning of a text. For nearly all texts it is the whole text.
#[derive(Clone, Copy)]
pub(crate) struct Excerpt<'a> {
    text: &'a str,
    pub(super) shown: &'a str,
    /// The number of lines of the whole text.
    pub(super) lines: usize,
}

impl<'a> Excerpt<'a> {
    /// Maximum number of lines. More lines make browsers slow.
    pub(crate) const MAX_LINES: usize = 20_000;
    /// Maximum bytes. More bytes make browsers slow, even in few lines.
    pub(crate) const MAX_BYTES: usize = 4 * 1024 * 1024;

    pub(super) fn of(text: &'a str) -> Self {
        let line_feeds = text.bytes().filter(|byte| *byte == b'\n').count();
        let lines = line_feeds + usize::from(!text.ends_with('\n'));
        let within_lines = if lines > Self::MAX_LINES {
            text.split_inclusive('\n')
                .take(Self::MAX_LINES)
                .map(str::len)
                .sum()
        } else {
            text.len()
        };
        let end = text.floor_char_boundary(within_lines.min(Self::MAX_BYTES));
        Self {
            text,
            shown: &text[..end],
            lines,
        }
    }

    /// Returns whether the whole text is shown.
    pub(super) fn is_whole(&self) -> bool {
        self.shown.len() == self.text.len()
    }

    /// Returns the number of shown lines. Returns `None` if all lines are shown.
    pub(super) fn shown_lines(&self) -> Option<usize> {
        let count = || self.shown.split_inclusive('\n').count();
        (!self.is_whole()).then(count)
    }

    /// Returns a sentence that says how much is shown. Returns `None` if the whole text is shown.
    pub(super) fn truncation_note(&self) -> Option<String> {
        let shown = self.shown_lines()?;
        Some(if shown == Self::MAX_LINES && self.shown.ends_with('\n') {
            format!(
                "Only the first {} of {} are shown.",
                humanize::number(shown),
                humanize::count(self.lines, "line")
            )
        } else {
            format!(
                "Only the first {} of {} are shown.",
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
    fn a_last_line_without_a_line_feed_counts_too() {
        for (text, lines) in [("a", 1), ("a\n", 1), ("\n", 1), ("a\nb", 2), ("\n\n", 2)] {
            assert_eq!(Excerpt::of(text).lines, lines, "{text:?}");
        }
    }

    #[test]
    fn only_20_000_lines_are_shown_and_a_note_says_so() {
        let full = "\n".repeat(Excerpt::MAX_LINES);
        assert_eq!(Excerpt::of(&full).truncation_note(), None);
        let more = full.clone() + "x";
        let excerpt = Excerpt::of(&more);
        assert_eq!(excerpt.shown, full);
        assert_eq!(
            excerpt.truncation_note().as_deref(),
            Some("Only the first 20,000 of 20,001 lines are shown.")
        );
    }

    #[test]
    fn only_4_mib_are_shown_cut_between_characters() {
        let full = "é".repeat(Excerpt::MAX_BYTES / 2);
        assert_eq!(Excerpt::of(&full).truncation_note(), None);
        let more = format!("a{full}");
        let excerpt = Excerpt::of(&more);
        assert_eq!(excerpt.shown.len(), Excerpt::MAX_BYTES - 1);
        assert_eq!(
            excerpt.truncation_note().as_deref(),
            Some("Only the first 3.9 MiB of 4 MiB are shown.")
        );
    }
}
