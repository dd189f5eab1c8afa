//! Marks: lines of a rendered listing that a reader asked to see.
//!
//! What it must not know: how the listing was made, but that each line begins with `<span id="L7"`. A text cannot hold
//! that: its `<` is escaped.
//! Invariants: without marks the listing is shown as it is; the first marked line takes the focus, so that a browser
//! scrolls to it without a script and without `#L7` in the address.
//! Cost: a search up to the last marked line, and copies of what lies between the marks.

use std::fmt::{self, Write};

use askama::filters::HtmlSafe;
use askama::{FastWritable, Values};

use crate::paste::LineRange;

/// A listing with marked lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marked<'a> {
    pub(crate) listing: &'a str,
    pub(crate) lines: Option<LineRange>,
}

impl Marked<'_> {
    fn write_html(self, out: &mut (impl Write + ?Sized)) -> fmt::Result {
        let mut rest = self.listing;
        if let Some(lines) = self.lines {
            for number in lines.first()..=lines.last() {
                let start = format!("<span id=\"L{number}\"");
                let Some(at) = rest.find(&start) else { break };
                let (before, line) = rest.split_at(at + start.len());
                out.write_str(before)?;
                out.write_str(" class=\"marked\"")?;
                if number == lines.first() {
                    out.write_str(" tabindex=\"-1\" autofocus")?;
                }
                rest = line;
            }
        }
        out.write_str(rest)
    }
}

impl HtmlSafe for Marked<'_> {}

impl fmt::Display for Marked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_html(f)
    }
}

impl FastWritable for Marked<'_> {
    fn write_into(&self, out: &mut dyn Write, _: &dyn Values) -> askama::Result<()> {
        Ok(self.write_html(out)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::listing::listing;

    fn marked(text: &str, range: &str) -> String {
        let listing = &listing(text, &[]);
        let lines = range.parse().ok();
        Marked { listing, lines }.to_string()
    }

    #[test]
    fn marked_lines_are_marked_and_the_first_takes_the_focus() {
        let html = marked("a\nb\nc\nd\n", "2-3");
        assert_eq!(html.matches("class=\"marked\"").count(), 2);
        assert!(html.contains("<span id=\"L2\" class=\"marked\" tabindex=\"-1\" autofocus><a "));
        assert!(html.contains("<span id=\"L3\" class=\"marked\"><a "));
    }

    #[test]
    fn a_text_that_looks_like_a_line_of_a_listing_is_not_marked() {
        let html = marked("<span id=\"L2\">\nb", "2");
        assert_eq!(html.matches("class=\"marked\"").count(), 1);
        assert!(html.contains("<span id=\"L2\" class=\"marked\" tabindex=\"-1\" autofocus>"));
    }

    #[test]
    fn a_range_that_goes_on_behind_the_end_is_marked_to_the_end() {
        let html = marked("a\nb\nc", &format!("2-{}", usize::MAX));
        assert_eq!(html.matches("class=\"marked\"").count(), 2);
    }

    #[test]
    fn what_nobody_marked_is_the_listing() {
        assert_eq!(marked("a\nb", ""), listing("a\nb", &[]));
    }
}
