//! A listing: the lines of a text with their numbers and colours, as HTML.
//!
//! A line is `<span id="L7"><a href="#L7" tabindex="-1" aria-hidden="true"></a>text`, its line feed, `</span>`. The
//! number is drawn by the style sheet's counter, so selecting and copying lines gives their text and nothing else; it
//! is a link for who points at it, and neither a stop for who moves by keyboard nor read aloud. A line with a character beyond
//! ASCII gets `dir="auto"`; for the others it would change nothing. A coloured part is `<span class="k">` within its
//! line: one that goes on over a line's end is closed there and opened again.
//! What it must not know: the page around it, how the colours were found.
//! Invariants: stripped of tags and unescaped, the listing is the shown text, but that a CR before a line feed is left
//! out and that odd characters are shown as [`odd`](crate::render::odd) says.
//! Cost: a few ns a byte, 100 ns a line, 30 ns a span.

use std::fmt::{self, Write};

use crate::render::escape::write_text;
use crate::render::excerpt::Excerpt;
use crate::render::odd::odd;
use crate::render::paint::Span;

/// The lines of what is shown as HTML; the spans are of the shown text.
pub(crate) fn listing(shown: &str, spans: &[Span]) -> String {
    let mut html = String::with_capacity(size_hint(shown, spans.len()));
    write_lines(shown, spans, &mut html).expect("a string takes everything");
    html
}

/// About how many bytes it will be: an eighth more for escapes, and the tags.
fn size_hint(shown: &str, spans: usize) -> usize {
    const TAGS_OF_A_LINE: usize = 84;
    const TAGS_OF_A_SPAN: usize = 24;
    let lines = shown.bytes().filter(|byte| *byte == b'\n').count() + 1;
    shown.len() + shown.len() / 8 + lines * TAGS_OF_A_LINE + spans * TAGS_OF_A_SPAN
}

/// The class that makes room for the widest number of so many lines.
pub(crate) fn width_class(lines: usize) -> &'static str {
    match lines {
        0..10 => "w1",
        10..100 => "w2",
        100..1000 => "w3",
        1000..10_000 => "w4",
        _ => "w5",
    }
}

/// Whether the listing's text is the paste's, so that copying it copies the paste. Line ends do not count: what is
/// pasted gets those of where it is pasted.
pub(crate) fn is_faithful(excerpt: &Excerpt<'_>) -> bool {
    excerpt.is_whole() && is_plain(excerpt.shown())
}

/// Whether a text has no odd character but the CR of a line end.
pub(crate) fn is_plain(text: &str) -> bool {
    text.split('\n')
        .all(|line| without_cr(line).chars().all(|c| odd(c).is_none()))
}

fn write_lines(shown: &str, spans: &[Span], out: &mut String) -> fmt::Result {
    let (mut start, mut spans) = (0, spans);
    for (number, line) in (1..).zip(shown.split_inclusive('\n')) {
        let direction = if line.is_ascii() { "" } else { " dir=\"auto\"" };
        write!(
            out,
            "<span id=\"L{number}\"{direction}><a href=\"#L{number}\" tabindex=\"-1\" aria-hidden=\"true\"></a>"
        )?;
        let end = start + line.len();
        let (text, line_feed) = match line.strip_suffix('\n') {
            Some(line) => (without_cr(line), "\n"),
            None => (line, ""),
        };
        let ended = spans.partition_point(|span| span.range.end <= end);
        let touching = spans.partition_point(|span| span.range.start < end);
        write_painted(text, start, &spans[..touching], out)?;
        out.push_str(line_feed);
        out.push_str("</span>");
        (start, spans) = (end, &spans[ended..]);
    }
    Ok(())
}

/// One line, or several where they are not told apart, which begins at `start` of the text that the spans are of.
pub(crate) fn write_painted(
    line: &str,
    start: usize,
    spans: &[Span],
    out: &mut String,
) -> fmt::Result {
    let mut written = 0;
    for span in spans {
        let within = |at: usize| at.saturating_sub(start).min(line.len());
        let (begin, end) = (within(span.range.start), within(span.range.end));
        if begin >= end {
            continue;
        }
        write_text(&line[written..begin], out)?;
        write!(out, "<span class=\"{}\">", span.paint)?;
        write_text(&line[begin..end], out)?;
        out.push_str("</span>");
        written = end;
    }
    write_text(&line[written..], out)
}

fn without_cr(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::paint::{Paint, Token};
    use crate::render::tests::{LISTING, Parsed};

    fn html(text: &str) -> String {
        listing(text, &[])
    }

    /// What a browser has as the text of this HTML.
    fn text_of(html: &str) -> String {
        Parsed::of(html, &[LISTING]).text
    }

    #[test]
    fn a_cr_at_the_end_of_a_line_is_left_out_and_elsewhere_shown() {
        assert_eq!(text_of(&html("a\r\nb\rc\r\r\n\r")), "a\nb␍c␍\n␍");
    }

    #[test]
    fn lines_beyond_ascii_find_their_own_direction() {
        let html = html("سلام\nhello\n");
        assert_eq!(html.matches("dir=\"auto\"").count(), 1);
        assert!(html.starts_with("<span id=\"L1\" dir=\"auto\">"));
    }

    #[test]
    fn a_coloured_part_is_within_its_line() {
        let span = |range| Span {
            range,
            paint: Paint::Token(Token::Keyword),
        };
        let html = listing("ab\r\nc<d\n\ne", &[span(0..1), span(1..6), span(7..10)]);
        let line = |number: usize, text: &str| {
            let link = format!("<a href=\"#L{number}\" tabindex=\"-1\" aria-hidden=\"true\"></a>");
            format!("<span id=\"L{number}\">{link}{text}</span>")
        };
        let expected = [
            line(1, "<span class=\"k\">a</span><span class=\"k\">b</span>\n"),
            line(2, "<span class=\"k\">c&#60;</span>d\n"),
            line(3, "\n"),
            line(4, "<span class=\"k\">e</span>"),
        ];
        assert_eq!(html, expected.concat());
    }

    #[test]
    fn only_a_whole_text_without_odd_characters_is_faithful() {
        for (text, faithful) in [
            ("a\r\nb\n", true),
            ("a\0b", false),
            ("a\u{202e}", false),
            ("a\rb", false),
        ] {
            assert_eq!(is_faithful(&Excerpt::of(text)), faithful, "{text:?}");
        }
        let long = "\n".repeat(Excerpt::MOST_LINES + 1);
        assert!(!is_faithful(&Excerpt::of(&long)));
    }
}
