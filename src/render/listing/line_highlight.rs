//! A line highlight: the lines of a rendered listing that a reader asked for.
//!
//! It finds a line by `<span id="L7"`, which no text can contain, because its `<` is escaped.
//! Invariants: without highlighted lines the listing is not changed. The first of them takes the focus, so that a
//! browser scrolls to it without a script and without `#L7` in the URL.
//! Cost: a search up to the last highlighted line, and copies of the parts between them.

use std::fmt::{self, Write};

use askama::filters::HtmlSafe;
use askama::{FastWritable, Values};

use crate::paste::LineRange;

/// A listing with highlighted lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineHighlight<'a> {
    pub(crate) listing: &'a str,
    pub(crate) lines: Option<LineRange>,
}

impl LineHighlight<'_> {
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

impl HtmlSafe for LineHighlight<'_> {}

impl fmt::Display for LineHighlight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_html(f)
    }
}

impl FastWritable for LineHighlight<'_> {
    fn write_into(&self, out: &mut dyn Write, _: &dyn Values) -> askama::Result<()> {
        Ok(self.write_html(out)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::listing::listing;

    fn highlighted(text: &str, range: &str) -> String {
        let listing = &listing(text, &[]);
        let lines = range.parse().ok();
        LineHighlight { listing, lines }.to_string()
    }

    #[test]
    fn the_first_highlighted_line_takes_the_focus() {
        let html = highlighted("a\nb\nc\nd\n", "2-3");
        assert_eq!(html.matches("class=\"marked\"").count(), 2);
        assert!(html.contains("<span id=\"L2\" class=\"marked\" tabindex=\"-1\" autofocus><a "));
        assert!(html.contains("<span id=\"L3\" class=\"marked\"><a "));
    }

    #[test]
    fn a_text_that_looks_like_a_line_of_a_listing_is_not_highlighted() {
        let html = highlighted("<span id=\"L2\">\nb", "2");
        assert_eq!(html.matches("class=\"marked\"").count(), 1);
        assert!(html.contains("<span id=\"L2\" class=\"marked\" tabindex=\"-1\" autofocus>"));
    }

    #[test]
    fn a_range_beyond_the_end_is_highlighted_up_to_the_end() {
        let html = highlighted("a\nb\nc", &format!("2-{}", usize::MAX));
        assert_eq!(html.matches("class=\"marked\"").count(), 2);
    }

    #[test]
    fn without_highlighted_lines_the_listing_is_unchanged() {
        assert_eq!(highlighted("a\nb", ""), listing("a\nb", &[]));
    }
}
