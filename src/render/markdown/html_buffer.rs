//! An HTML buffer: collects markup of the program and escaped text of a user.
//!
//! Invariants: only literals of the program and rendered HTML are appended unescaped. In all other text, special
//! characters are escaped and unsafe characters are shown in a visible form.

use crate::render::escape::write_text;
use crate::render::unsafe_char::visible;

/// The HTML that was written so far.
#[derive(Debug, Default)]
pub(super) struct HtmlBuffer(String);

impl HtmlBuffer {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    /// Appends markup without escaping it. The markup is `'static`, so it is a literal of the program.
    pub(super) fn markup(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Appends a number, which needs no escaping.
    pub(super) fn number(&mut self, number: impl itoa::Integer) {
        self.0.push_str(itoa::Buffer::new().format(number));
    }

    /// Appends markup that contains a number.
    pub(super) fn with_number(
        &mut self,
        before: &'static str,
        number: impl itoa::Integer,
        after: &'static str,
    ) {
        self.markup(before);
        self.number(number);
        self.markup(after);
    }

    /// Appends an attribute. `before` is the attribute's name, `="`, and the trusted start of its value.
    pub(super) fn attribute(&mut self, before: &'static str, value: &str) {
        self.markup(before);
        self.text(&visible(value));
        self.markup("\"");
    }

    /// Appends text and escapes it.
    pub(super) fn text(&mut self, text: &str) {
        write_text(text, &mut self.0).expect("a string takes everything");
    }

    /// Appends the HTML of another renderer without escaping it.
    pub(super) fn fragment(&mut self, html: &str) {
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
