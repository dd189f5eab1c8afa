//! A code block of a document, with syntax highlighting.
//!
//! Invariants: without tags and escapes, the HTML is the code. Code that exceeds a limit of the highlighter is
//! highlighted up to that limit.

use crate::paste::Language;
use crate::render::code::{Highlighter, Highlighting};
use crate::render::listing::write_highlighted;
use crate::render::time_budget::{OutOfTime, TimeBudget};

pub(super) struct CodeBlock {
    pub(super) html: String,
    /// Whether highlighting stopped at a limit, so that the rest of the code has no colours.
    pub(super) is_partly_highlighted: bool,
}

impl CodeBlock {
    /// Renders code. Without a language, the code is not highlighted.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn new(
        code: &str,
        language: Option<Language>,
        highlighter: &mut Highlighter,
        budget: &TimeBudget<'_>,
    ) -> Result<Self, OutOfTime> {
        let Highlighting { spans, limit } = match language {
            Some(language) => highlighter.highlight(code, language, budget)?,
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

/// Returns the language of a code block's info string, the text after its fence. Only the first word counts, as in
/// `rust,ignore`.
pub(super) fn language(info: &str) -> Option<Language> {
    let word = info.split([' ', '\t', ',', '{']).next()?;
    Language::from_name(word)
}
