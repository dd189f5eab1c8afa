//! Footnotes: their numbers and their text, in the order of their first reference.
//!
//! Invariants: each label has one number, from 1. A footnote is shown once, however often it is referenced.
//! Cost: one hash look-up per reference.

use std::collections::HashMap;

use super::html_buffer::HtmlBuffer;

/// Bytes of markup around a footnote's text, about.
const MARKUP: usize = 128;

/// The footnotes of a document.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    numbers: HashMap<String, usize>,
    footnotes: Vec<Footnote>,
    /// Bytes of HTML that [`write`](Self::write) will append, about.
    size: usize,
}

#[derive(Debug, Default)]
struct Footnote {
    body: HtmlBuffer,
    is_referenced: bool,
    direction: &'static str,
}

impl Footnotes {
    /// Returns the number of the footnote with this label. Case does not matter.
    pub(super) fn number(&mut self, label: &str) -> usize {
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(label.to_lowercase()).or_insert(next);
        if number == next {
            self.size += MARKUP;
            self.footnotes.push(Footnote::default());
        }
        number
    }

    /// Records a reference. Returns whether it is the first one to this footnote.
    pub(super) fn is_first_reference(&mut self, number: usize) -> bool {
        !std::mem::replace(&mut self.footnotes[number - 1].is_referenced, true)
    }

    /// Adds a footnote's text. If there are two definitions, both are shown.
    pub(super) fn define(&mut self, number: usize, body: &HtmlBuffer, direction: &'static str) {
        let footnote = &mut self.footnotes[number - 1];
        footnote.body.fragment(body.as_str());
        footnote.direction = direction;
        self.size += body.len();
    }

    /// Bytes of HTML that [`write`](Self::write) will append, about.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Writes the footnotes as a list. Each links back to its first reference.
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
