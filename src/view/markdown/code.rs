//! Code in a document, with its colours.
//!
//! What it must not know: how the colours are found.
//! Invariants: stripped of tags and unescaped it is the code; code that is too large, too wide or nested too deep has
//! colours as far as they go.

use super::super::allowance::{Allowance, UsedUp};
use super::super::code::paint;
use super::super::listing::write_painted;
use crate::paste::Language;

/// The code as HTML, unless its colours use up the time.
pub(super) fn highlighted(
    code: &str,
    language: Option<Language>,
    allowance: &Allowance<'_>,
) -> Result<String, UsedUp> {
    let spans = match language {
        Some(language) => paint(code, language, allowance)?.spans,
        None => Vec::new(),
    };
    let mut html = String::with_capacity(code.len() + code.len() / 8 + spans.len() * 24);
    write_painted(code, 0, &spans, &mut html).expect("a string takes everything");
    Ok(html)
}

/// The language that the line before a block of code names: its first word, as in `rust,ignore`.
pub(super) fn language(info: &str) -> Option<Language> {
    let word = info.split([' ', '\t', ',', '{']).next()?;
    Language::named(word)
}
