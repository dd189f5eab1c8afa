//! Footnotes: collects the footnotes of a document. They are numbered and written in the order of their first
//! references.
//!
//! Invariants: each label has one number; the first number is 1. A footnote is shown once, even if it is referenced
//! several times.
//! Cost: one hash look-up per reference.

use std::collections::HashMap;

/// Estimated bytes of markup around a footnote's text.
const MARKUP: usize = 128;

/// The footnotes of a document.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    numbers: HashMap<String, usize>,
    footnotes: Vec<Footnote>,
    /// Estimated bytes of their HTML.
    pub(super) size: usize,
}

#[derive(Debug, Default)]
struct Footnote {
    body: String,
    is_referenced: bool,
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
    pub(super) fn define(&mut self, number: usize, body: &str) {
        self.footnotes[number - 1].body.push_str(body);
        self.size += body.len();
    }

    /// Returns the footnotes as a list. Each footnote links back to its first reference.
    pub(super) fn list(&self) -> String {
        if self.footnotes.is_empty() {
            return String::new();
        }
        let mut html = "<section class=\"notes\" aria-label=\"Footnotes\"><ol>".to_owned();
        for (number, note) in (1..).zip(&self.footnotes) {
            html += &format!("<li id=\"n-{number}\" dir=\"auto\">{}", note.body);
            if note.is_referenced {
                html += &format!("<a href=\"#r-{number}\" aria-label=\"Back to the text\">↩</a>");
            }
            html += "</li>";
        }
        html + "</ol></section>"
    }
}
