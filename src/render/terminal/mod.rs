//! Terminal output: text with escape sequences (ECMA-48), shown as a terminal would.
//!
//! What it must not know: how a colour looks; a style names it.
//! Invariants: the text is what a terminal would print, line by line; every other sequence is left out. A carriage
//! return begins its line anew, so of a progress bar the last state is seen. At most [`MOST_SPANS`] parts are in colour;
//! what follows is plain.
//! Cost: some 10 ns a byte.

mod style;

use vte::{Params, Parser, Perform};

use crate::render::paint::{Paint, Span, Style};
use crate::render::time_budget::{OutOfTime, TimeBudget};
use style::Pen;

/// More parts make browsers slow.
const MOST_SPANS: usize = 50_000;

/// Bytes between two looks at the allowance.
const PIECE: usize = 16 * 1024;

/// The text that a terminal would print, and its colours.
pub(super) fn terminal(
    bytes: &str,
    budget: TimeBudget<'_>,
) -> Result<(String, Vec<Span>), OutOfTime> {
    let mut parser = Parser::new();
    let mut screen = Screen::default();
    for piece in bytes.as_bytes().chunks(PIECE) {
        budget.check()?;
        parser.advance(&mut screen, piece);
    }
    screen.end_span();
    Ok((screen.text, screen.spans))
}

/// The text without its colours, and nothing else left out: what a terminal prints of a text that has only those.
pub(super) fn without_colours(bytes: &str) -> String {
    let mut parts = bytes.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_parameter = |c: char| c.is_ascii_digit() || matches!(c, ';' | ':');
        match part.trim_start_matches(is_parameter).strip_prefix('m') {
            Some(rest) => text.push_str(rest),
            None => text.extend(["\u{1b}[", part]),
        }
    }
    text.replace("\r\n", "\n")
}

/// What was printed so far.
#[derive(Default)]
struct Screen {
    text: String,
    spans: Vec<Span>,
    pen: Pen,
    /// How what is printed now is shown, and where that began.
    style: Style,
    since: usize,
    /// Where the line begins.
    line: usize,
    /// The line is to begin anew, unless it ends before something is printed.
    returned: bool,
}

impl Screen {
    fn end_span(&mut self) {
        let range = self.since..self.text.len();
        self.since = range.end;
        if range.is_empty() || self.style == Style::default() || self.spans.len() >= MOST_SPANS {
            return;
        }
        self.spans.push(Span {
            range,
            paint: Paint::Terminal(self.style),
        });
    }

    fn begin_line_anew(&mut self) {
        self.returned = false;
        self.text.truncate(self.line);
        self.since = self.since.min(self.line);
        while let Some(last) = self.spans.pop_if(|span| span.range.end > self.line) {
            if last.range.start < self.line {
                let range = last.range.start..self.line;
                self.spans.push(Span { range, ..last });
            }
        }
    }
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        if self.returned {
            self.begin_line_anew();
        }
        self.text.push(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.returned = false;
                self.text.push('\n');
                self.line = self.text.len();
            }
            b'\t' => self.print('\t'),
            b'\r' => self.returned = true,
            // A backspace, within what is printed in one style.
            0x08 if self.text.len() > self.line.max(self.since) => _ = self.text.pop(),
            _ => (),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _: bool, action: char) {
        if action != 'm' || !intermediates.is_empty() {
            return;
        }
        self.pen.select(params);
        let style = self.pen.style();
        if style != self.style {
            self.end_span();
            self.style = style;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(bytes: &str) -> (String, Vec<(String, String)>) {
        let (text, spans) = terminal(bytes, TimeBudget::until(&|| false)).expect("in time");
        let part = |span: &Span| (text[span.range.clone()].to_owned(), span.paint.to_string());
        let parts = spans.iter().map(part).collect();
        (text, parts)
    }

    fn parts(bytes: &str) -> Vec<(String, String)> {
        shown(bytes).1
    }

    fn part(text: &str, classes: &str) -> (String, String) {
        (text.to_owned(), classes.to_owned())
    }

    #[test]
    fn colours_and_faces_are_those_of_a_terminal() {
        assert_eq!(
            shown("a\u{1b}[1;31mb\u{1b}[0mc\u{1b}[44md\u{1b}[m\n"),
            (
                "abcd\n".to_owned(),
                vec![part("b", "i1 bold"), part("d", "g4")]
            )
        );
        assert_eq!(
            parts("\u{1b}[2;3;4;9;97mx\u{1b}[22;23;24;29;39my"),
            [part("x", "i15 faint italic under struck")]
        );
    }

    #[test]
    fn reversed_colours_are_exchanged_those_of_the_page_too() {
        assert_eq!(parts("\u{1b}[7mx"), [part("x", "i16 g17")]);
        assert_eq!(parts("\u{1b}[7;31mx"), [part("x", "i16 g1")]);
        assert_eq!(
            parts("\u{1b}[7;31;42mx\u{1b}[27my"),
            [part("x", "i2 g1"), part("y", "i1 g2")]
        );
    }

    #[test]
    fn of_256_and_of_all_colours_the_nearest_of_the_sixteen_is_taken() {
        assert_eq!(parts("\u{1b}[38;5;196mx"), [part("x", "i9")]);
        assert_eq!(parts("\u{1b}[38;5;3mx"), [part("x", "i3")]);
        assert_eq!(parts("\u{1b}[48;2;0;0;120mx"), [part("x", "g4")]);
        assert_eq!(parts("\u{1b}[38:2::250:250:250mx"), [part("x", "i15")]);
        assert_eq!(parts("\u{1b}[38;5;244mx"), [part("x", "i8")]);
        // What is cut short or unknown is no colour, and what follows it counts.
        let cut_short = "\u{1b}[38;5mx\u{1b}[38;9;1my\u{1b}[38;2;1mz";
        assert_eq!(parts(cut_short), [part("yz", "bold")]);
    }

    #[test]
    fn every_other_sequence_is_left_out() {
        let (text, _) =
            shown("a\u{1b}]0;title\u{7}b\u{1b}[2Kc\u{1b}[10;10Hd\u{7}\u{1b}(Be\u{1b}Pq\u{1b}\\f");
        assert_eq!(text, "abcdef");
    }

    #[test]
    fn a_carriage_return_begins_the_line_anew_and_before_a_line_feed_it_does_nothing() {
        assert_eq!(shown("a\r\nb\r\n").0, "a\nb\n");
        let (text, parts) = shown("x\n\u{1b}[32m10 %\r100 %\u{1b}[0m\n");
        assert_eq!(
            (text.as_str(), parts),
            ("x\n100 %\n", vec![part("100 %", "i2")])
        );
        assert_eq!(shown("\u{1b}[31ma\nb\u{1b}[32mc\rd").0, "a\nd");
    }

    #[test]
    fn what_has_colours_alone_is_printed_as_it_is_without_them_and_all_else_is_told_apart() {
        for (bytes, is_printed_as_it_is) in [
            ("a\u{1b}[1;31mb\u{1b}[0m c\r\n\td\n", true),
            ("\u{1b}[m\u{1b}[38:5:1mé", true),
            ("10 %\r100 %\n", false),
            ("a\u{1b}[2Kb", false),
            ("a\u{8}b", false),
            ("a\u{1b}_hidden\u{1b}\\b", false),
            ("a\u{1b}]0;hidden\nlines\u{7}b", false),
            ("a\u{1b}[31", false),
            ("a\u{7}", false),
        ] {
            let is_same = shown(bytes).0 == without_colours(bytes);
            assert_eq!(is_same, is_printed_as_it_is, "{bytes:?}");
        }
    }

    #[test]
    fn the_time_is_looked_at() {
        assert_eq!(terminal("a", TimeBudget::until(&|| true)), Err(OutOfTime));
    }

    proptest! {
        #[test]
        fn spans_are_in_order_and_within_the_text(
            bytes in "(a|é|\u{1b}\\[[0-9;:]{0,8}m|\u{1b}\\[1m|\u{1b}\\[32m|\r|\n|\u{8}|\u{1b}|\t|\u{9b}|\u{0}){0,60}"
        ) {
            let (text, spans) = terminal(&bytes, TimeBudget::until(&|| false)).expect("in time");
            let mut end = 0;
            for span in spans {
                prop_assert!(end <= span.range.start && span.range.start < span.range.end);
                prop_assert!(text.get(span.range.clone()).is_some());
                end = span.range.end;
            }
        }
    }
}
