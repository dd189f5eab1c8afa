//! Footnotes: collects the footnotes of a document. They are numbered and written in the order of their first
//! references.
//!
//! Invariants: each label has one number; the first number is 1. A footnote is shown once, even if it is referenced
//! several times.
//! Cost: one hash look-up per reference.

use std::collections::HashMap;

use super::html_buffer::HtmlBuffer;

/// Estimated bytes of markup around a footnote's text.
const MARKUP: usize = 128;

/// The footnotes of a document.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    numbers: HashMap<String, usize>,
    footnotes: Vec<Footnote>,
    /// Estimated bytes of HTML that [`write`](Self::write) will append.
    size: usize,
}

#[derive(Debug, Default)]
struct Footnote {
    body: HtmlBuffer,
    is_referenced: bool,
    direction: &'static str,
}

impl Footnotes {
    /// Returns the number of the footnote with this label. Upper and lower case are not distinguished.
    pub(super) fn number(&mut self, label: &str) -> usize {
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(label.to_lowercase()).or_insert(next);
        if number == next {
            self.size += MARKUP;
            self.footnotes.push(Footnote::default());
        }
        number
    }

    /// Records a reference. Returns whether it is the first reference to this footnote.
    pub(super) fn is_first_reference(&mut self, number: usize) -> bool {
        !std::mem::replace(&mut self.footnotes[number - 1].is_referenced, true)
    }

    /// Adds a footnote's text. If a label has two definitions, both texts are shown.
    pub(super) fn define(&mut self, number: usize, body: &HtmlBuffer, direction: &'static str) {
        let footnote = &mut self.footnotes[number - 1];
        footnote.body.fragment(body.as_str());
        footnote.direction = direction;
        self.size += body.len();
    }

    /// Returns the estimated bytes of HTML that [`write`](Self::write) will append.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Writes the footnotes as a list. Each footnote links back to its first reference.
    pub(super) fn write(&self, html: &mut HtmlBuffer) {
        if self.footnotes.is_empty() {
            return;
        }
        html.markup("<section class=\"notes\" aria-label=\"Footnotes\"><ol>");
        for (number, footnote) in (1_u64..).zip(&self.footnotes) {
            html.with_number("<li id=\"n-", number, "\"");
            html.markup(footnote.direction);
            html.markup(">");
            html.fragment(footnote.body.as_str());
            if footnote.is_referenced {
                let end = "\" aria-label=\"Back to the text\">↩</a>";
                html.with_number("<a href=\"#r-", number, end);
            }
            html.markup("</li>\n");
        }
        html.markup("</ol></section>\n");
    }
}
