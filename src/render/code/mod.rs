//! Code: syntax highlighting of source code.
//!
//! Only this folder uses the highlighter's crate.
//! Invariants: spans are as [`highlight`](crate::render::highlight) defines them. No part of a text stays in memory
//! after the call. Highlighting stops at a line that is [too long](highlight_limit::is_too_long) or nested deeper than
//! [`MAX_DEPTH`]. The result states why it stopped.
//!
//! Two highlighters were measured as release builds on one machine with 2 shared cores. This module uses syntaxmate
//! 0.3.0. The other was syntect 5.3.0 with the grammars of two-face 0.5.2 and fancy-regex. Neither needs C.
//! - Grammars: syntaxmate has 264, syntect 186.
//! - Speed in ms per KiB, as syntaxmate / syntect, for real files of 10 to 113 KiB with a prepared grammar: Rust 0.19 /
//!   2.81, Python 0.16 / 3.53, C 0.23 / 3.82, C++ 0.31 / 3.65, JavaScript 0.26 / 2.42, CSS 0.15 / 2.32, HTML 0.19 /
//!   0.56, Markdown 0.09 / 1.22, Perl 0.05 / 6.30, Makefile 0.07 / 2.79, Lua 0.11 / 1.96, JSON 0.09 / 0.33, XML 0.04 /
//!   0.33, shell 0.03 / 0.26. The first file of a language takes 0 to 30 ms more with syntaxmate, and 1 to 150 ms more
//!   with syntect.
//! - Memory after sixteen languages: syntaxmate uses 38 MB, syntect 162 MB. Syntaxmate's crates add 4.3 MB to a program
//!   and load in 0.6 ms. Syntect's add 3.3 MB and load in 1.7 ms.
//! - Hostile input of 20 kB on one line, without a limit: syntaxmate takes 0.1 s and can be interrupted. Syntect takes
//!   up to 7.6 s (`a<a<` as Vim script) and cannot be interrupted. A MiB on one line takes syntaxmate 5 s. Neither can
//!   be interrupted within one search of a regular expression. With 2 kB on one line, syntect took up to 0.4 s (C#) and
//!   syntaxmate up to 3 s (`////` as D).
//! - Stack: syntaxmate recurses once for each `<` of a shell line, with about 1 KiB of stack per byte. A long line
//!   would overflow the stack and end the process. So the length of a line is limited. The worst of 106 hostile lines
//!   in 264 languages took 0.55 MiB of stack at 512 bytes, and 1.1 MiB at 1024. Of 3 million lines of real sources, 121
//!   are longer than 512 bytes.
//! - Interruption: the longest time between two checks of the budget was measured. The input was some thousand
//!   generated lines of 512 bytes per language. It was 337 ms for KDL, 304 for Markdown, 177 for D, 44 for BibTeX, and
//!   at most 7 for all others. So these four languages have lower limits. With the lower limits, KDL and D took 1 ms,
//!   and BibTeX 7. Markdown took 12 ms for a line with many marks (backticks and tildes), and 36 ms for one with few.
//!
//! Cost: see the measurements above. In addition, a span takes 32 bytes while the page is rendered.

mod grammars;
mod highlight_limit;
mod scope_classes;
mod slots;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use syntaxmate::{Error, Tokenizer};

use self::grammars::{CACHE, Grammar, grammar_name};
use self::highlight_limit::{MAX_BYTES, MAX_DEPTH, MAX_LINE_BYTES, is_too_long};
use self::scope_classes::ScopeClasses;
use crate::paste::Language;
use crate::render::highlight::{Highlight, Span, SyntaxClass};
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Why a text has no highlighting, for readers.
const TOO_LARGE: &str = "This text is too large for syntax highlighting.";

/// The start of the sentence that says why highlighting stopped at a line. The text after it is not highlighted, because
/// a line's meaning depends on all lines before it. For example, a comment may end in a skipped line.
const ENDS: &str = "Syntax highlighting ends at line";

/// The highlighting of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Highlighting {
    pub(super) spans: Vec<Span>,
    /// The sentence that says why the spans end before the text does.
    pub(super) limit: Option<String>,
}

/// Highlights texts, one after the other. It keeps the grammar of the last text, because the code blocks of a document
/// are often in one language.
#[derive(Default)]
pub(super) struct Highlighter {
    grammar: Option<Grammar>,
}

impl Highlighter {
    /// Highlights a text in a language.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn highlight(
        &mut self,
        text: &str,
        language: Language,
        budget: &TimeBudget<'_>,
    ) -> Result<Highlighting, OutOfTime> {
        let Some(name) = grammar_name(language) else {
            return Ok(Highlighting::default());
        };
        if text.len() > MAX_BYTES {
            return Ok(Highlighting {
                spans: Vec::new(),
                limit: Some(TOO_LARGE.to_owned()),
            });
        }
        budget.check()?;
        let last = self.grammar.take_if(|grammar| grammar.language == language);
        // The grammar of another language is dropped before the next is acquired. Otherwise two renderers could wait
        // for each other.
        self.grammar = None;
        let grammar = last.unwrap_or_else(|| Grammar::acquire(language, name, &CACHE));
        let tokenizer = &mut self.grammar.insert(grammar).tokenizer;
        highlight_lines(text, language, tokenizer, budget)
    }
}

fn highlight_lines(
    text: &str,
    language: Language,
    tokenizer: &mut Tokenizer,
    budget: &TimeBudget<'_>,
) -> Result<Highlighting, OutOfTime> {
    let mut highlighting = Highlighting::default();
    let mut classes = ScopeClasses::default();
    let mut state = tokenizer.initial_state();
    let (mut start, mut number) = (0, 1);
    for line in lines(text, language) {
        let content = line.strip_suffix('\n').unwrap_or(line);
        budget.check()?;
        if is_too_long(content, language) {
            highlighting.limit = Some(format!("{ENDS} {number}: it is too long."));
            break;
        }
        if state.depth() > MAX_DEPTH {
            highlighting.limit = Some(format!("{ENDS} {number}: it is nested too deeply."));
            break;
        }
        let on_token = |token: syntaxmate::Token| {
            if let Some(class) = classes.of(&token) {
                let range = token.range();
                let range = start + range.start..start + range.end;
                push(&mut highlighting.spans, range, class);
            }
        };
        let is_out_of_time = || budget.check().is_err();
        let content = without_shifts(content, language);
        match tokenizer.tokenize_line_with_interrupt(&content, &mut state, on_token, is_out_of_time)
        {
            Ok(_) => {}
            Err(Error::Interrupted) => return Err(OutOfTime),
            // The tokenizer returns an error only for a line feed or for the state of another tokenizer.
            Err(_) => break,
        }
        start += line.len();
        number += usize::from(line.ends_with('\n'));
    }
    Ok(highlighting)
}

/// Returns a line of a shell script with another operator in place of each shift, as in `$((1<<2))`. The grammar takes
/// it for the start of a text, whose end it does not find.
fn without_shifts(line: &str, language: Language) -> Cow<'_, str> {
    let mut line = Cow::Borrowed(line);
    if language.name() == "bash" {
        for (at, _) in line.clone().match_indices("<<") {
            let before = &line[..at];
            let is_open = |open, close| before.rfind(open) > before.rfind(close);
            if is_open("((", "))") || is_open("$[", "]") {
                line.to_mut().replace_range(at..at + 2, "**");
            }
        }
    }
    line
}

/// Appends a span. If the last span ends here and has the same class, it is extended instead.
fn push(spans: &mut Vec<Span>, range: std::ops::Range<usize>, class: SyntaxClass) {
    let highlight = Highlight::Syntax(class);
    match spans.last_mut() {
        Some(last) if last.range.end == range.start && last.highlight == highlight => {
            last.range.end = range.end;
        }
        _ => spans.push(Span { range, highlight }),
    }
}

/// Returns the lines of a text. A long line of JSON is cut into pieces, because line ends mean nothing in JSON.
fn lines(text: &str, language: Language) -> impl Iterator<Item = &str> {
    let may_cut = language.name() == "json";
    let mut rest = text;
    std::iter::from_fn(move || {
        let line = rest.split_inclusive('\n').next()?;
        let piece = if may_cut && line.len() > MAX_LINE_BYTES {
            let start = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
            let end = start
                .rfind([',', ' ', '{', '['])
                .map_or(start.len(), |at| at + 1);
            &line[..end]
        } else {
            line
        };
        rest = &rest[piece.len()..];
        Some(piece)
    })
}
