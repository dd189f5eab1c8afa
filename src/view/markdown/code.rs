//! Code in a document, with its colours.
//!
//! What it must not know: how the colours are found.
//! Invariants: stripped of tags and unescaped it is the code; code whose colours cannot be found has none.

use super::super::allowance::Allowance;
use super::super::code::paint;
use super::super::listing::write_painted;
use crate::paste::Language;

/// The code as HTML.
pub(super) fn highlighted(
    code: &str,
    language: Option<Language>,
    allowance: &Allowance<'_>,
) -> String {
    let spans = match language {
        Some(language) => paint(code, language, allowance).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut html = String::with_capacity(code.len() + code.len() / 8 + spans.len() * 24);
    write_painted(code, 0, &spans, &mut html).expect("a string takes everything");
    html
}

/// The language that the line before a block of code names: its first word, as in `rust,ignore`.
pub(super) fn language(info: &str) -> Option<Language> {
    let word = info.split([' ', '\t', ',', '{']).next()?;
    Language::named(word)
}
