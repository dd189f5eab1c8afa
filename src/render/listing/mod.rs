//! A listing: the lines of a text as HTML, with line numbers and highlighting.
//!
//! A line is `<span id="L7" data-n=7>text`, its line feed, `</span>`. The style sheet draws the number from `data-n`, so
//! selected and copied lines contain only their text. A browser lays out a block of lines once it comes near the window.
//! A line with a character beyond ASCII gets `dir="auto"`, so that the browser detects its writing direction. A
//! highlighted part is `<span class="k">` within its line. A highlighted part over several lines is closed at each
//! line's end and opened again on the next line.
//! Invariants: without tags and escapes, the listing is the text, with three exceptions. A CR before a line feed is left
//! out. Unsafe characters are in their [visible form](crate::render::unsafe_char). Where a CR restarts its line, as in a
//! terminal, the states before the last one are apart, and folded if there are many.
//! Cost: a few ns per byte, 100 ns per line and 30 ns per span.

mod line_highlight;

use std::fmt::{self, Write};

pub(crate) use self::line_highlight::highlight_lines;

use crate::render::autolink::{REL, address};
use crate::render::escape::write_text;
use crate::render::highlight::{Highlight, Span};
use crate::render::humanize;
use crate::render::unsafe_char::without_cr;

/// The fewest earlier states of a line that are folded: fewer are no progress, and code hides none.
const FOLDED: usize = 3;

/// The lines of a block. The style sheet knows their number.
const BLOCK: usize = 100;

/// Renders a text as lines of HTML. The ranges of `spans` refer to this text.
pub(super) fn listing(text: &str, mut spans: &[Span]) -> String {
    let mut html = String::with_capacity(size_hint(text, spans.len()));
    let mut start = 0;
    for (number, text) in (1..).zip(text.split_inclusive('\n')) {
        let end = start + text.len();
        let ended = spans.partition_point(|span| span.range.end <= end);
        let touching = spans.partition_point(|span| span.range.start < end);
        write_line(number, "", text, start, &spans[..touching], &mut html)
            .expect("a string takes everything");
        (start, spans) = (end, &spans[ended..]);
    }
    // Three clicks select a line with its line feed. A secret is often one line.
    if text.find('\n').is_some_and(|at| at + 1 == text.len()) {
        html.truncate(html.len() - "\n</span>".len());
        html.push_str("</span><span hidden>\n</span>");
    }
    end(&mut html);
    html
}

/// Estimates the bytes of a listing: its text, its tags, and an eighth of the text for escapes.
pub(super) fn size_hint(text: &str, spans: usize) -> usize {
    const TAGS_PER_LINE: usize = 40;
    const TAGS_PER_SPAN: usize = 24;
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    text.len() + text.len() / 8 + lines * TAGS_PER_LINE + spans * TAGS_PER_SPAN
}

/// Ends the last block of a listing.
pub(super) fn end(html: &mut String) {
    html.push_str(if html.is_empty() { "" } else { "</span>" });
}

/// Writes a line with its line feed, and with these attributes, and before it the start of its block if it is the first.
/// It starts at byte `start` of the text to which the spans refer.
pub(super) fn write_line(
    number: usize,
    attributes: &str,
    line: &str,
    start: usize,
    spans: &[Span],
    out: &mut String,
) -> fmt::Result {
    let direction = if line.is_ascii() { "" } else { " dir=\"auto\"" };
    if number % BLOCK == 1 {
        end(out);
        out.push_str("<span class=\"block\">");
    }
    write!(
        out,
        "<span id=\"L{number}\" data-n={number}{attributes}{direction}>"
    )?;
    let (content, line_feed) = match line.strip_suffix('\n') {
        Some(line) => (without_cr(line), "\n"),
        None => (line, ""),
    };
    let (earlier, last) = states(content);
    if !earlier.is_empty() {
        // A text without a line feed may be of an old Mac, where a CR ends a line.
        let is_open = earlier.len() < FOLDED || number == 1 && line_feed.is_empty();
        let open = if is_open { " open" } else { "" };
        let count = humanize::count(earlier.len(), "earlier state");
        write!(out, "<details{open}><summary>{count}</summary>")?;
        write_text(&earlier.join("\n"), out)?;
        out.push_str("</details>");
    }
    let last_starts = last.as_ptr().addr() - line.as_ptr().addr();
    write_highlighted(last, start + last_starts, spans, out)?;
    out.push_str(line_feed);
    out.push_str("</span>");
    Ok(())
}

/// Splits a line where a CR restarts it. Returns the states that are not blank, and the last one.
fn states(line: &str) -> (Vec<&str>, &str) {
    let mut states = line.trim_end_matches('\r').split('\r');
    let last = states.next_back().unwrap_or_default();
    (
        states.filter(|state| !state.trim().is_empty()).collect(),
        last,
    )
}

/// Writes a part of a text with its highlighting. The part starts at byte `start` of the text to which the spans refer.
pub(super) fn write_highlighted(
    part: &str,
    start: usize,
    spans: &[Span],
    out: &mut String,
) -> fmt::Result {
    let mut written = 0;
    for span in spans {
        let within = |at: usize| at.saturating_sub(start).min(part.len());
        let (from, to) = (within(span.range.start), within(span.range.end));
        if from >= to {
            continue;
        }
        write_text(&part[written..from], out)?;
        let (mut tag, text) = ("span", &part[from..to]);
        match span.highlight {
            Highlight::Syntax(class) => write!(out, "<span class=\"{class}\">")?,
            Highlight::Terminal(style) => write!(out, "<span class=\"{style}\">")?,
            Highlight::Bare(name) => {
                tag = name;
                write!(out, "<{tag}>")?;
            }
            Highlight::Link(scheme) => {
                tag = "a";
                out.push_str("<a href=\"");
                write_text(&address(&[scheme, text].concat()).unwrap_or_default(), out)?;
                write!(out, "\"{REL}>")?;
            }
        }
        write_text(text, out)?;
        write!(out, "</{tag}>")?;
        written = to;
    }
    write_text(&part[written..], out)
}

#[cfg(test)]
mod tests;
