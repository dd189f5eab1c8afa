//! Code in a document, with its colours.
//!
//! What it must not know: how the colours are found.
//! Invariants: stripped of tags and unescaped it is the code; code that is too large, too wide or nested too deep has
//! colours as far as they go, and says so.

use crate::paste::Language;
use crate::render::code::{Colours, paint};
use crate::render::listing::write_painted;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// A block of code.
pub(super) struct Highlighted {
    pub(super) html: String,
    /// Whether its colours end before it does.
    pub(super) lacks_colours: bool,
}

/// The code as HTML, unless its colours use up the time.
pub(super) fn highlighted(
    code: &str,
    language: Option<Language>,
    budget: &TimeBudget<'_>,
) -> Result<Highlighted, OutOfTime> {
    let Colours { spans, bound } = match language {
        Some(language) => paint(code, language, budget)?,
        None => Colours::default(),
    };
    let mut html = String::with_capacity(code.len() + code.len() / 8 + spans.len() * 24);
    write_painted(code, 0, &spans, &mut html).expect("a string takes everything");
    Ok(Highlighted {
        html,
        lacks_colours: bound.is_some(),
    })
}

/// The language that the line before a block of code names: its first word, as in `rust,ignore`.
pub(super) fn language(info: &str) -> Option<Language> {
    let word = info.split([' ', '\t', ',', '{']).next()?;
    Language::named(word)
}
