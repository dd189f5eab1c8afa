//! Terminal output: interprets text with escape sequences (ECMA-48) as a terminal does.
//!
//! Invariants: the result is the text that a terminal would print, line by line. Sequences other than colours are left
//! out. Carriage returns stay: one restarts its line, and what it overwrites has no colours. At most [`MAX_SPANS`] parts
//! are coloured; the rest is plain.
//! Cost: about 10 ns per byte.

mod sgr;

use vte::{Params, Parser, Perform};

use self::sgr::SgrState;
use crate::render::highlight::{Highlight, Span, TerminalStyle};
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Maximum number of coloured parts. More parts make browsers slow.
const MAX_SPANS: usize = 50_000;

/// The number of bytes between two checks of the time budget.
const CHUNK: usize = 16 * 1024;

/// Returns the text that a terminal would print, and its highlighting.
///
/// # Errors
/// Returns [`OutOfTime`] if the budget is used up.
pub(super) fn terminal(
    output: &str,
    budget: TimeBudget<'_>,
) -> Result<(String, Vec<Span>), OutOfTime> {
    let mut parser = Parser::new();
    let mut screen = Screen::default();
    for chunk in output.as_bytes().chunks(CHUNK) {
        budget.check()?;
        parser.advance(&mut screen, chunk);
    }
    screen.end_span();
    Ok((screen.text, screen.spans))
}

/// Returns the text without colour sequences. If the text has no other sequences, the result equals the printed text.
pub(super) fn without_colours(output: &str) -> String {
    let mut parts = output.split("\u{1b}[");
    let mut text = parts.next().expect("a split has a first part").to_owned();
    for part in parts {
        let is_parameter = |c: char| c.is_ascii_digit() || matches!(c, ';' | ':');
        match part.trim_start_matches(is_parameter).strip_prefix('m') {
            Some(rest) => text.push_str(rest),
            None => text.extend(["\u{1b}[", part]),
        }
    }
    text
}

/// The lines that were printed so far.
#[derive(Default)]
struct Screen {
    text: String,
    spans: Vec<Span>,
    sgr: SgrState,
    /// The style of the current span.
    style: TerminalStyle,
    /// The byte index at which the current span starts. It starts in the current state of its line.
    span_start: usize,
    /// The number of spans before the current line.
    spans_before_line: usize,
    /// Whether a carriage return was read. The line restarts if more text is printed before it ends.
    pending_return: bool,
}

impl Screen {
    fn end_span(&mut self) {
        let range = self.span_start..self.text.len();
        self.span_start = range.end;
        let is_plain = self.style == TerminalStyle::default();
        if range.is_empty() || is_plain || self.spans.len() >= MAX_SPANS {
            return;
        }
        self.spans.push(Span {
            range,
            highlight: Highlight::Terminal(self.style),
        });
    }

    /// Starts a new state of the line. What it overwrites has no colours.
    fn restart_line(&mut self) {
        self.pending_return = false;
        self.end_span();
        self.spans.truncate(self.spans_before_line);
    }
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        if self.pending_return {
            self.restart_line();
        }
        self.text.push(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.pending_return = false;
                self.text.push('\n');
                self.end_span();
                self.spans_before_line = self.spans.len();
            }
            b'\t' => self.print('\t'),
            b'\r' => {
                self.pending_return = true;
                self.text.push('\r');
            }
            // A backspace. It deletes only within the current span and line.
            0x08 if !self.pending_return && self.text.len() > self.span_start => {
                self.text.pop();
            }
            _ => (),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _: bool, action: char) {
        if action != 'm' || !intermediates.is_empty() {
            return;
        }
        self.sgr.apply(params);
        let style = self.sgr.style();
        if style != self.style {
            self.end_span();
            self.style = style;
        }
    }
}

#[cfg(test)]
mod tests;
