//! JSON Lines: a listing of the lines as they are written, with the value of each folded below it.
//!
//! Invariants: the lines are those of the text, all of them, and line `n` has the id `Ln`. A line that is no object or
//! array has no colours and no fold, nor has one after the first [`MAX_TOKENS`] keys and values.
//! Cost: five passes over the text, 20 ns per byte together. A value takes as much as in formatted JSON.

use super::parts::{Kind, Parts};
use super::writer::class_of;
use super::{is_valid, json};
use crate::render::highlight::{Highlight, Span, SyntaxClass};
use crate::render::listing::{end, size_hint, write_line};
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Maximum number of keys and values. Each has about four elements, in its line and below it.
const MAX_TOKENS: usize = 40_000;

/// Renders JSON Lines. Returns `None` if the first two lines are not an object or an array each.
///
/// # Errors
/// Returns [`OutOfTime`] if the budget is used up.
pub(crate) fn json_lines(text: &str, budget: TimeBudget<'_>) -> Result<Option<String>, OutOfTime> {
    let is_record = |line: &str| line.starts_with(['{', '[']) && is_valid(line);
    if text.lines().nth(1).is_none() || !text.lines().take(2).all(is_record) {
        return Ok(None);
    }
    let mut html = String::with_capacity(size_hint(text, 0));
    let mut left = MAX_TOKENS;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        budget.check()?;
        let value = (left > 0).then(|| json(line, budget).ok()).flatten();
        let value = value.flatten().filter(|value| value.shown_lines.is_none());
        let start = "<details open><summary data-rest=\"";
        let folded = value
            .as_ref()
            .and_then(|it| it.html.strip_prefix(start)?.split_once("\">"));
        let spans = folded.map_or_else(Vec::new, |_| spans(line));
        left = left.saturating_sub(spans.len());
        write_line(number, "", line, 0, &spans, &mut html).expect("a string takes everything");
        // The line itself shows how it starts.
        if let Some((_, folded)) = folded {
            html.truncate(html.len() - "</span>".len());
            html.extend(["<details><summary>", folded, "</span>"]);
        }
    }
    end(&mut html);
    Ok(Some(html))
}

/// Returns the spans of a valid line: its keys and its values, in their order.
fn spans(line: &str) -> Vec<Span> {
    let span = |token: &str, class| {
        let start = token.as_ptr().addr() - line.as_ptr().addr();
        Span {
            range: start..start + token.len(),
            highlight: Highlight::Syntax(class),
        }
    };
    let tokens = Parts::of(line).flat_map(|part| {
        let value = (part.kind == Kind::Scalar).then(|| span(part.text, class_of(part.text)));
        [part.key.map(|key| span(key, SyntaxClass::Attribute)), value]
    });
    tokens.flatten().collect()
}
