//! Code: the colours of source text.
//!
//! What it must not know: HTML, pastes. Of the highlighter's crate only this folder knows.
//! Invariants: spans as [`paint`](crate::render::paint) wants them; nothing of a text is kept after the call; the colours end at
//! a line that is [too long](bounds::is_too_long) or nested deeper than [`DEEPEST`], and say so.
//!
//! Two highlighters were measured on one machine with 2 shared cores, release builds: syntaxmate 0.3.0, which this
//! uses, and syntect 5.3.0 with the grammars of two-face 0.5.2 and fancy-regex, no C in either.
//! - Grammars known: 264 beside 186.
//! - Time in ms a KiB with the grammar prepared, real files of 10 to 113 KiB: Rust 0.19 beside 2.81, Python 0.16 / 3.53,
//!   C 0.23 / 3.82, C++ 0.31 / 3.65, JavaScript 0.26 / 2.42, CSS 0.15 / 2.32, HTML 0.19 / 0.56, Markdown 0.09 / 1.22,
//!   Perl 0.05 / 6.30, Makefile 0.07 / 2.79, Lua 0.11 / 1.96, JSON 0.09 / 0.33, XML 0.04 / 0.33, shell 0.03 / 0.26.
//!   The first file of a language costs 0 to 30 ms more, beside 1 to 150 ms.
//! - Memory after sixteen languages 38 MB beside 162 MB; the crates add 4.3 MB to a program beside 3.3 MB, and load in
//!   0.6 ms beside 1.7 ms.
//! - Hostile input, 20 kB on one line, without a cut-off: 0.1 s and asked to stop, beside up to 7.6 s (`a<a<` as Vim
//!   script) that cannot be stopped; a MiB on one line: 5 s. With 2 kB on one line: syntect up to 0.4 s (C#), syntaxmate
//!   up to 3 s (`////` as D), as neither can be stopped within one search.
//! - syntaxmate recurses once for each `<` of a shell line, about 1 KiB of stack for a byte, and so ends the process on
//!   a long one. Hence the cut-off: of 106 hostile lines in 264 languages the worst took 0.55 MiB of stack at 512 bytes,
//!   1.1 MiB at 1024. Of 3 million lines of real sources 121 are longer than 512.
//! - The longest time between two questions to the allowance, of some thousand made-up lines of 512 bytes a language:
//!   KDL 337 ms, Markdown 304, D 177, BibTeX 44, all others 7. Hence the shorter cut-offs of these four. At them KDL and
//!   D took 1 ms, BibTeX 7, Markdown 12 with many marks on the line and 36 with few.
//!
//! Cost: as above; a span is 32 bytes while the page is made.

mod bounds;
mod grammars;
mod scopes;

#[cfg(test)]
mod tests;

use syntaxmate::{Error, Tokenizer, TokenizerOptions};

use crate::paste::Language;
use crate::render::paint::{Paint, Span};
use crate::render::time_budget::{OutOfTime, TimeBudget};
use bounds::{Bound, DEEPEST, LONGEST_LINE, MOST_BYTES, is_too_long};
use scopes::Classes;

/// The colours of a text, as far as they go.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Colours {
    pub(super) spans: Vec<Span>,
    /// Why they end before the text, if they do.
    pub(super) bound: Option<Bound>,
}

/// The colours of this text, read as this language.
pub(super) fn paint(
    text: &str,
    language: Language,
    budget: &TimeBudget<'_>,
) -> Result<Colours, OutOfTime> {
    if !grammars::has(language) {
        return Ok(Colours::default());
    }
    if text.len() > MOST_BYTES {
        return Ok(Colours {
            spans: Vec::new(),
            bound: Some(Bound::Size),
        });
    }
    budget.check()?;
    let Some(grammar) = grammars::of(language) else {
        return Ok(Colours::default());
    };
    let mut tokenizer = grammar.tokenizer(TokenizerOptions {
        max_line_bytes: LONGEST_LINE + 2,
        line_cache_entries: 0,
    });
    let colours = paint_lines(text, language, &mut tokenizer, budget);
    grammar.keep();
    colours
}

fn paint_lines(
    text: &str,
    language: Language,
    tokenizer: &mut Tokenizer,
    budget: &TimeBudget<'_>,
) -> Result<Colours, OutOfTime> {
    let mut colours = Colours::default();
    let mut classes = Classes::default();
    let mut state = tokenizer.initial_state();
    let (mut start, mut number) = (0, 1);
    for line in pieces(text, language) {
        let content = line.strip_suffix('\n').unwrap_or(line);
        budget.check()?;
        colours.bound = if is_too_long(content, language) {
            Some(Bound::Length(number))
        } else if state.depth() > DEEPEST {
            Some(Bound::Depth(number))
        } else {
            None
        };
        if colours.bound.is_some() {
            break;
        }
        let draw = |token: syntaxmate::Token| {
            if let Some(class) = classes.of(&token) {
                let range = token.range();
                let range = start + range.start..start + range.end;
                push(&mut colours.spans, range, class);
            }
        };
        let is_out_of_time = || budget.check().is_err();
        match tokenizer.tokenize_line_with_interrupt(content, &mut state, draw, is_out_of_time) {
            Ok(_) => {}
            Err(Error::Interrupted) => return Err(OutOfTime),
            // It refuses only what is no line, or of another tokenizer.
            Err(_) => break,
        }
        start += line.len();
        number += usize::from(line.ends_with('\n'));
    }
    Ok(colours)
}

/// Adds a span, to the last one if that ends here and looks alike.
fn push(spans: &mut Vec<Span>, range: std::ops::Range<usize>, class: crate::render::paint::Token) {
    let paint = Paint::Token(class);
    match spans.last_mut() {
        Some(last) if last.range.end == range.start && last.paint == paint => {
            last.range.end = range.end;
        }
        _ => spans.push(Span { range, paint }),
    }
}

/// The text's lines. A long line of JSON, where a line's end means nothing, comes in pieces.
fn pieces(text: &str, language: Language) -> impl Iterator<Item = &str> {
    let may_cut = language.name() == "json";
    let mut rest = text;
    std::iter::from_fn(move || {
        let line = rest.split_inclusive('\n').next()?;
        let piece = if may_cut && line.len() > LONGEST_LINE {
            let most = &line[..line.floor_char_boundary(LONGEST_LINE)];
            let end = most
                .rfind([',', ' ', '{', '['])
                .map_or(most.len(), |at| at + 1);
            &line[..end]
        } else {
            line
        };
        rest = &rest[piece.len()..];
        Some(piece)
    })
}
