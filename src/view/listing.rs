//! A listing: the lines of a text with their numbers.
//!
//! **The one place that writes HTML of its own** and marks it as safe ([`HtmlSafe`]): a template loop over lines would
//! cost more than the lines. Whatever comes from the text passes through [`write_text`], which has its own tests.
//! A line is `<span id="L7"><a href="#L7"></a>text`, its line feed, `</span>`. The number is drawn by the style
//! sheet's counter, so selecting and copying lines gives their text and nothing else. A line with a character beyond
//! ASCII gets `dir="auto"`; for the others it would change nothing.
//! What it must not know: the page around it.
//! Invariants: stripped of tags and unescaped, the listing is the shown text, but that a CR before a line feed is left
//! out and that odd characters are shown as [`odd`] says. At most [`Listing::MOST_LINES`] lines and
//! [`Listing::MOST_BYTES`] bytes are shown. Odd characters outside the numbered ones get no tags: a text of NULs
//! grows threefold, and nothing more than fivefold.
//! Cost: one pass to count, one to look for odd characters, one to write: a few ns a byte and 100 ns a line.

use std::fmt;

use askama::filters::HtmlSafe;
use askama::{FastWritable, Values};

use super::odd::{Odd, odd};
use super::words;
use crate::paste::LineRange;

/// A text as lines, some of them marked.
#[derive(Clone, Copy)]
pub(super) struct Listing<'a> {
    text: &'a str,
    shown: &'a str,
    lines: usize,
    marked: Option<LineRange>,
}

impl<'a> Listing<'a> {
    /// More lines make browsers slow.
    pub(super) const MOST_LINES: usize = 20_000;
    /// More bytes make browsers slow, in few lines too.
    pub(super) const MOST_BYTES: usize = 4 * 1024 * 1024;

    /// The listing of this text.
    pub(super) fn new(text: &'a str, marked: Option<LineRange>) -> Self {
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
            marked,
        }
    }

    /// Lines of the whole text.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// A sentence that says what is shown, unless everything is.
    pub(super) fn what_is_shown(&self) -> Option<String> {
        if self.shown.len() == self.text.len() {
            return None;
        }
        let shown = self.shown.split_inclusive('\n').count();
        Some(if shown == Self::MOST_LINES && self.shown.ends_with('\n') {
            format!(
                "Only the first {} of {} are shown here.",
                words::grouped(shown),
                words::counted(self.lines, "line")
            )
        } else {
            format!(
                "Only the first {} of {} are shown here.",
                words::size(self.shown.len()),
                words::size(self.text.len())
            )
        })
    }

    /// The lines to mark, if they are behind what is shown.
    pub(super) fn out_of_sight(&self) -> Option<LineRange> {
        let is_capped = self.shown.len() < self.text.len();
        let behind = |lines: &LineRange| lines.first() > self.shown.split_inclusive('\n').count();
        self.marked.filter(|lines| is_capped && behind(lines))
    }

    /// Whether the listing's text is the paste's, so that copying it copies the paste. Line ends do not count: what
    /// is pasted gets those of where it is pasted.
    pub(super) fn is_faithful(&self) -> bool {
        self.shown.len() == self.text.len()
            && !self
                .shown
                .split('\n')
                .any(|line| without_cr(line).chars().any(|c| odd(c).is_some()))
    }

    /// The class that makes room for the widest number.
    pub(super) fn width_class(&self) -> &'static str {
        match self.lines {
            0..10 => "w1",
            10..100 => "w2",
            100..1000 => "w3",
            1000..10_000 => "w4",
            _ => "w5",
        }
    }

    /// About how many bytes it is as HTML: an eighth more for escapes, and the tags.
    pub(super) fn size_hint(&self) -> usize {
        const TAGS_OF_A_LINE: usize = 52;
        let lines = self.lines.min(Self::MOST_LINES);
        self.shown.len() + self.shown.len() / 8 + lines * TAGS_OF_A_LINE
    }

    fn write_html(&self, out: &mut (impl fmt::Write + ?Sized)) -> fmt::Result {
        for (number, line) in (1..).zip(self.shown.split_inclusive('\n')) {
            self.write_line(number, line, out)?;
        }
        Ok(())
    }

    fn write_line(
        &self,
        number: usize,
        line: &str,
        out: &mut (impl fmt::Write + ?Sized),
    ) -> fmt::Result {
        let direction = if line.is_ascii() { "" } else { " dir=\"auto\"" };
        let is_marked = self.marked.is_some_and(|range| range.contains(number));
        let class = if is_marked { " class=\"marked\"" } else { "" };
        // A browser scrolls to what has the focus, without a script and without `#L7` in the address.
        let is_first_marked = self.marked.is_some_and(|range| range.first() == number);
        let focus = if is_first_marked { " autofocus" } else { "" };
        write!(
            out,
            "<span id=\"L{number}\"{class}{direction}><a href=\"#L{number}\"{focus}></a>"
        )?;
        match line.strip_suffix('\n') {
            Some(line) => {
                write_text(without_cr(line), out)?;
                out.write_str("\n</span>")
            }
            None => {
                write_text(line, out)?;
                out.write_str("</span>")
            }
        }
    }
}

fn without_cr(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// Which bytes begin a character that may not be written as it is. Of the multi-byte characters only the odd ones
/// matter, which all begin with 0xC2 or 0xE2.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        stops[byte] = true;
        byte += 1;
    }
    stops[b'\t' as usize] = false;
    stops[b'\n' as usize] = false;
    stops[0x7f] = true;
    stops[0xc2] = true;
    stops[0xe2] = true;
    stops[b'&' as usize] = true;
    stops[b'<' as usize] = true;
    stops[b'>' as usize] = true;
    stops[b'"' as usize] = true;
    stops[b'\'' as usize] = true;
    stops
};

/// Writes text as HTML: whole runs of harmless characters, the five of HTML escaped, odd ones shown.
fn write_text(text: &str, out: &mut (impl fmt::Write + ?Sized)) -> fmt::Result {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !STOPS[usize::from(byte)] {
            continue;
        }
        // A byte of the table is never inside a character, so `at` is a boundary.
        let Some(c) = text[at..].chars().next() else {
            continue;
        };
        let escape = escape(c);
        let odd = odd(c);
        if escape.is_none() && odd.is_none() {
            continue;
        }
        out.write_str(&text[written..at])?;
        match odd {
            Some(Odd::Picture(picture)) => out.write_char(picture)?,
            Some(Odd::Number(code)) => write!(out, "<i>[U+{code:04X}]</i>")?,
            None => out.write_str(escape.unwrap_or_default())?,
        }
        written = at + c.len_utf8();
    }
    out.write_str(&text[written..])
}

/// The five characters with a meaning in HTML, as askama writes them.
fn escape(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&#38;"),
        '<' => Some("&#60;"),
        '>' => Some("&#62;"),
        '"' => Some("&#34;"),
        '\'' => Some("&#39;"),
        _ => None,
    }
}

impl HtmlSafe for Listing<'_> {}

impl FastWritable for Listing<'_> {
    fn write_into(&self, out: &mut dyn fmt::Write, _: &dyn Values) -> askama::Result<()> {
        Ok(self.write_html(out)?)
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_html(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::odd::shown;
    use super::*;

    fn html(text: &str) -> String {
        Listing::new(text, None).to_string()
    }

    fn marked(text: &str, range: &str) -> String {
        Listing::new(text, range.parse().ok()).to_string()
    }

    /// What a browser has as the text of this HTML.
    fn text_of(html: &str) -> String {
        let mut text = String::new();
        for part in html.split('<') {
            text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        for (escaped, c) in [
            ("&#60;", "<"),
            ("&#62;", ">"),
            ("&#34;", "\""),
            ("&#39;", "'"),
            ("&#38;", "&"),
        ] {
            text = text.replace(escaped, c);
        }
        text
    }

    #[test]
    fn the_five_characters_of_html_are_escaped() {
        assert_eq!(
            html("</script><script>\"'&"),
            "<span id=\"L1\"><a href=\"#L1\"></a>\
             &#60;/script&#62;&#60;script&#62;&#34;&#39;&#38;</span>"
        );
    }

    #[test]
    fn odd_characters_are_seen_and_harmless() {
        let html = html("a\0\u{1b}\rb\u{202e}c\u{2066}");
        assert!(html.ends_with("a␀␛␍b<i>[U+202E]</i>c<i>[U+2066]</i></span>"));
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
    fn marked_lines_are_marked_and_the_first_takes_the_focus() {
        let html = marked("a\nb\nc\nd\n", "2-3");
        assert_eq!(html.matches("class=\"marked\"").count(), 2);
        assert!(html.contains("<span id=\"L2\" class=\"marked\"><a href=\"#L2\" autofocus></a>b"));
        assert!(html.contains("<span id=\"L3\" class=\"marked\"><a href=\"#L3\"></a>c"));
    }

    #[test]
    fn a_text_has_as_many_lines_as_line_feeds_and_one_more_if_it_does_not_end_with_one() {
        for (text, lines) in [("a", 1), ("a\n", 1), ("\n", 1), ("a\nb", 2), ("\n\n", 2)] {
            assert_eq!(Listing::new(text, None).lines(), lines, "{text:?}");
            assert_eq!(html(text).matches("<span").count(), lines, "{text:?}");
        }
    }

    #[test]
    fn beyond_20_000_lines_the_rest_is_left_out_and_it_says_so() {
        let full = "\n".repeat(Listing::MOST_LINES);
        assert_eq!(Listing::new(&full, None).what_is_shown(), None);
        let more = full + "x";
        assert_eq!(
            Listing::new(&more, None).what_is_shown().as_deref(),
            Some("Only the first 20,000 of 20,001 lines are shown here.")
        );
        assert!(!html(&more).contains("L20001"));
    }

    #[test]
    fn beyond_4_mib_the_rest_is_left_out_between_characters() {
        let full = "é".repeat(Listing::MOST_BYTES / 2);
        assert_eq!(Listing::new(&full, None).what_is_shown(), None);
        let more = format!("a{full}");
        let listing = Listing::new(&more, None);
        assert_eq!(listing.shown.len(), Listing::MOST_BYTES - 1);
        assert_eq!(
            listing.what_is_shown().as_deref(),
            Some("Only the first 3.9 MiB of 4 MiB are shown here.")
        );
    }

    #[test]
    fn only_a_whole_text_without_odd_characters_is_faithful() {
        for (text, faithful) in [
            ("a\r\nb\n", true),
            ("a\0b", false),
            ("a\u{202e}", false),
            ("a\rb", false),
        ] {
            assert_eq!(Listing::new(text, None).is_faithful(), faithful, "{text:?}");
        }
        let long = "\n".repeat(Listing::MOST_LINES + 1);
        assert!(!Listing::new(&long, None).is_faithful());
    }

    proptest! {
        #[test]
        fn the_text_of_a_listing_is_the_text(text in "([<>&\"'#;a\0\r\n\t\u{7f}\u{202e}\u{2028}“é𝄞]|&#60;|<i>|\\PC){1,60}") {
            let expected: Vec<String> = text
                .split_inclusive('\n')
                .map(|line| match line.strip_suffix('\n') {
                    Some(line) => shown(line.strip_suffix('\r').unwrap_or(line)).into_owned() + "\n",
                    None => shown(line).into_owned(),
                })
                .collect();
            prop_assert_eq!(text_of(&html(&text)), expected.concat());
        }

        #[test]
        fn a_text_grows_at_most_fivefold(text in "[<>&\"'a\0\u{202e}]{1,60}") {
            let mut out = String::new();
            prop_assert!(write_text(&text, &mut out).is_ok());
            prop_assert!(out.len() <= 5 * text.len());
        }
    }
}
