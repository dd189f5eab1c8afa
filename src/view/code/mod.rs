//! Code: the colours of source text.
//!
//! What it must not know: HTML, pastes. Of the highlighter's crate only this folder knows.
//! Invariants: spans as [`paint`](super::paint) wants them; nothing of a text is kept after the call; a line longer
//! than [`LONGEST_LINE`] and what is nested deeper than [`DEEPEST`] stays without colours, but stays.
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
//!   a long one. Hence the cut-off: of 106 hostile lines in 264 languages the worst took 0.55 MiB of stack and 0.16 s at
//!   512 bytes (D; without D 0.05 s), 1.1 MiB and 1.2 s at 1024. Of 3 million lines of real sources 121 are longer.
//!
//! Cost: as above; a span is 32 bytes while the page is made.

mod grammars;
mod scopes;

#[cfg(test)]
mod tests;

use syntaxmate::{Error, Tokenizer, TokenizerOptions};

use super::allowance::{Allowance, UsedUp};
use super::paint::{Paint, Painted, Span};
use crate::paste::Language;
use scopes::Classes;

/// Larger texts are not begun: they would not be done within any allowance.
const MOST_BYTES: usize = 1024 * 1024;
/// Longer lines have no colours: time and stack grow with a line's length, see above.
const LONGEST_LINE: usize = 512;
/// What is nested deeper has no colours: memory grows with the square of the depth.
const DEEPEST: usize = 256;

/// The colours of this text, read as this language.
pub(super) fn paint(text: &str, language: Language, allowance: &Allowance<'_>) -> Painted {
    if text.len() > MOST_BYTES {
        return Err(UsedUp);
    }
    allowance.check()?;
    let Some(grammar) = grammars::of(language) else {
        return Ok(Vec::new());
    };
    let mut tokenizer = grammar.tokenizer(TokenizerOptions {
        max_line_bytes: LONGEST_LINE + 2,
        line_cache_entries: 0,
    });
    let spans = paint_lines(text, language, &mut tokenizer, allowance);
    grammar.keep();
    spans
}

fn paint_lines(
    text: &str,
    language: Language,
    tokenizer: &mut Tokenizer,
    allowance: &Allowance<'_>,
) -> Painted {
    let mut spans = Vec::new();
    let mut classes = Classes::default();
    let mut state = tokenizer.initial_state();
    let mut start = 0;
    for line in pieces(text, language) {
        let content = line.strip_suffix('\n').unwrap_or(line);
        allowance.check()?;
        if state.depth() > DEEPEST {
            break;
        }
        if content.len() <= LONGEST_LINE {
            let draw = |token: syntaxmate::Token| {
                if let Some(class) = classes.of(&token) {
                    let range = token.range();
                    push(&mut spans, start + range.start..start + range.end, class);
                }
            };
            let is_used_up = || allowance.check().is_err();
            match tokenizer.tokenize_line_with_interrupt(content, &mut state, draw, is_used_up) {
                Ok(_) => {}
                Err(Error::Interrupted) => return Err(UsedUp),
                // It refuses only what is no line, or of another tokenizer.
                Err(_) => break,
            }
        }
        start += line.len();
    }
    Ok(spans)
}

/// Adds a span, to the last one if that ends here and looks alike.
fn push(spans: &mut Vec<Span>, range: std::ops::Range<usize>, class: super::paint::Token) {
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
