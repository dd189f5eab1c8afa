//! The objects and arrays of a JSON text: how many values each has, and whether it fits into one line.
//!
//! Invariants: the first [`MAX_LINES`] are known, in the order of their starts. A page has no more of them.
//! Cost: one pass over the text. Each takes 24 bytes.

use super::parts::{Kind, Parts};
use super::{MAX_DEPTH, MAX_LINES};
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Maximum length of an array that is written in one line.
const MAX_SHORT: usize = 72;

/// How often the budget is checked: once for this many parts.
const CHECKED: usize = 1024;

/// An object or an array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Container {
    /// The number of its members or items.
    pub(super) values: usize,
    /// Whether it is written in one line: it is empty, or a short array of scalars.
    pub(super) is_short: bool,
    /// The bytes between its brackets.
    pub(super) inside: usize,
}

/// Returns the first containers.
///
/// # Errors
/// If the budget is used up, or the text is nested too deeply.
pub(super) fn containers(text: &str, budget: &TimeBudget<'_>) -> Result<Vec<Container>, OutOfTime> {
    let mut found: Vec<Container> = Vec::new();
    let mut started = 0;
    // The indices of the containers around the present part.
    let mut around: Vec<usize> = Vec::new();
    let mut parts = Parts::of(text);
    for number in 0.. {
        if number % CHECKED == 0 {
            budget.check()?;
        }
        let Some(part) = parts.next() else {
            break;
        };
        if part.kind == Kind::Close {
            // Until now, `inside` is the number of bytes up to the end of the text.
            let container = around.pop().and_then(|at| found.get_mut(at));
            if let Some(container) = container {
                container.inside -= part.left;
                let is_flat_array = container.is_short && part.text == "]";
                container.is_short =
                    container.values == 0 || is_flat_array && container.inside <= MAX_SHORT;
            }
            continue;
        }
        if let Some(container) = around.last().and_then(|at| found.get_mut(*at)) {
            container.values += 1;
            container.is_short &= part.kind == Kind::Scalar;
        }
        if part.kind == Kind::Open {
            if around.len() == MAX_DEPTH {
                return Err(OutOfTime);
            }
            if started < MAX_LINES {
                found.push(Container {
                    values: 0,
                    is_short: true,
                    inside: part.left - part.text.len(),
                });
            }
            around.push(started);
            started += 1;
        }
    }
    Ok(found)
}
