//! HTML in the making: markup that the program wrote, and text that somebody else did.
//!
//! What it must not know: what is written.
//! Invariants: what is not a literal of the program is escaped, with its odd characters shown.

use std::fmt;

use crate::render::escape::write_text;
use crate::render::odd::shown;

/// HTML so far.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    /// Markup, which is always a literal.
    pub(super) fn markup(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    pub(super) fn number(&mut self, number: impl fmt::Display) {
        self.0.push_str(&number.to_string());
    }

    pub(super) fn text(&mut self, text: &str) {
        write_text(text, &mut self.0).expect("a string takes everything");
    }

    /// The value of an attribute, without its quotes.
    pub(super) fn value(&mut self, value: &str) {
        self.text(&shown(value));
    }

    /// What another of the renderers made.
    pub(super) fn made(&mut self, html: &str) {
        self.0.push_str(html);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}
