//! A code block in a document, with highlighting.
//!
//! Invariants: stripped of tags and unescaped, the HTML is the code. Code that exceeds a limit of the highlighter is
//! highlighted up to there.

use crate::paste::Language;
use crate::render::code::{Highlighting, highlight};
use crate::render::listing::write_highlighted;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// A rendered code block.
pub(super) struct CodeBlock {
    pub(super) html: String,
    /// Whether the highlighting stopped at a limit.
    pub(super) is_partly_highlighted: bool,
}

impl CodeBlock {
    /// Renders code, without highlighting if there is no language.
    ///
    /// # Errors
    /// [`OutOfTime`] if the budget is used up.
    pub(super) fn new(
        code: &str,
        language: Option<Language>,
        budget: &TimeBudget<'_>,
    ) -> Result<Self, OutOfTime> {
        let Highlighting { spans, limit } = match language {
            Some(language) => highlight(code, language, budget)?,
            None => Highlighting::default(),
        };
        let mut html = String::with_capacity(code.len() + code.len() / 8 + spans.len() * 24);
        write_highlighted(code, 0, &spans, &mut html).expect("a string takes everything");
        Ok(Self {
            html,
            is_partly_highlighted: limit.is_some(),
        })
    }
}

/// Returns the language of a fence's info string: its first word, as in `rust,ignore`.
pub(super) fn language(info: &str) -> Option<Language> {
    let word = info.split([' ', '\t', ',', '{']).next()?;
    Language::from_name(word)
}
