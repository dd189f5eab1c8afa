//! Line highlights: marks the requested lines in a rendered listing, or on the page around it.
//!
//! The start of a line is found by its tag `<span id="L7"`. No text of a user can contain this tag, because its `<` is
//! escaped.
//! Invariants: without highlighted lines the listing is not changed. The first highlighted line gets the focus. So a
//! browser scrolls to it without a script and without `#L7` in the URL.
//! Cost: a search up to the last highlighted line, and a copy of the listing.

use crate::paste::LineRange;

/// Returns the listing with these lines highlighted. Lines that the listing does not have are ignored.
pub(crate) fn highlight_lines(listing: &str, lines: LineRange) -> String {
    let mut html = String::with_capacity(listing.len() + 64);
    let mut rest = listing;
    for number in lines.first()..=lines.last() {
        let start = format!("<span id=\"L{number}\"");
        let Some(at) = rest.find(&start) else { break };
        let (before, line) = rest.split_at(at + start.len());
        html.extend([before, " class=\"marked\""]);
        if number == lines.first() {
            html.push_str(" tabindex=\"-1\" autofocus");
        }
        rest = line;
    }
    html.push_str(rest);
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::listing::listing;

    fn highlighted(text: &str, range: &str) -> String {
        highlight_lines(
            &listing(text, &[]),
            LineRange::parse(range).expect("a range"),
        )
    }

    #[test]
    fn the_first_highlighted_line_takes_the_focus() {
        let html = highlighted("a\nb\nc\nd\n", "2-3");
        assert_eq!(html.matches("class=\"marked\"").count(), 2);
        assert!(
            html.contains("<span id=\"L2\" class=\"marked\" tabindex=\"-1\" autofocus data-n=2>")
        );
        assert!(html.contains("<span id=\"L3\" class=\"marked\" data-n=3>"));
    }

    #[test]
    fn a_text_that_looks_like_a_line_of_a_listing_is_not_highlighted() {
        let html = highlighted("<span id=\"L2\">\nb", "2");
        assert_eq!(html.matches("class=\"marked\"").count(), 1);
        assert!(html.contains("<span id=\"L2\" class=\"marked\" tabindex=\"-1\" autofocus "));
    }

    #[test]
    fn a_range_beyond_the_end_is_highlighted_up_to_the_end() {
        let html = highlighted("a\nb\nc", &format!("2-{}", usize::MAX));
        assert_eq!(html.matches("class=\"marked\"").count(), 2);
    }
}
