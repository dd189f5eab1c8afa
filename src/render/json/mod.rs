//! JSON, formatted: one value per line, with objects and arrays that fold.
//!
//! An object or array is a `<details>`, whose `<summary>` has its name and its first bracket. Folded, it shows how it
//! starts and how many values it has, which the style sheet draws from `data-rest`. Several values one after the other
//! are shown too; [`lines`] shows those that have a line each. An array that is short and flat is one line.
//! Invariants: the text of the HTML is that of the paste except for white space between its parts: members keep their
//! order and their duplicates, numbers and strings are as they were written. Unsafe characters are in their visible
//! form. The HTML has at most [`MAX_LINES`] lines and about
//! [`MAX_VALUES`] values, and is nested at most [`MAX_DEPTH`] deep. No function recurses.
//! Cost: three passes over the text, 10 ns per byte together, and 100 ns per line. A line takes at most 600 bytes in
//! addition to five times its text.

mod containers;
mod lines;
mod parts;
mod writer;

use serde::de::IgnoredAny;

pub(super) use self::lines::json_lines;

use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Maximum number of bytes of a text.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of lines. More make browsers slow.
const MAX_LINES: usize = 20_000;

/// Maximum number of values. A short array has many in one line.
const MAX_VALUES: usize = 100_000;

/// Maximum number of objects and arrays around a value. Browsers flatten elements that are nested deeper than 512.
const MAX_DEPTH: usize = 100;

/// Formatted JSON.
pub(super) struct Json {
    pub(super) html: String,
    /// The number of lines. `None` if the whole text is shown.
    pub(super) shown_lines: Option<usize>,
}

/// Formats JSON. Returns `None` if the text is not valid, or empty.
///
/// # Errors
/// If the budget is used up, or the text is too long or nested too deeply.
pub(super) fn json(text: &str, budget: TimeBudget<'_>) -> Result<Option<Json>, OutOfTime> {
    if text.len() > MAX_BYTES {
        return Err(OutOfTime);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    budget.check()?;
    if !is_valid(text) {
        return Ok(None);
    }
    let containers = containers::containers(text, &budget)?;
    writer::write(text, &containers, &budget).map(Some)
}

/// Returns whether a text consists of JSON values, at least one. This decodes nothing and does not recurse.
fn is_valid(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    matches!(values.next(), Some(Ok(_))) && values.all(|value| value.is_ok())
}

#[cfg(test)]
mod tests;
