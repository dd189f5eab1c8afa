//! Footnotes: their numbers, in the order in which a document first names them, and what they say.
//!
//! What it must not know: how a note's text is made.
//! Invariants: one number a label, from 1; a note is shown once, however often it is named.
//! Cost: a look-up a reference.

use std::collections::HashMap;

use super::html::Html;

/// Bytes of a note beside what it says.
const MARKUP: usize = 128;

/// The footnotes of a document.
#[derive(Debug, Default)]
pub(super) struct Notes {
    numbers: HashMap<String, usize>,
    notes: Vec<Note>,
    /// About how many bytes they take at the end.
    size: usize,
}

#[derive(Debug, Default)]
struct Note {
    body: Html,
    is_named: bool,
    direction: &'static str,
}

impl Notes {
    /// The number of the note of this label, which is the same in any case.
    pub(super) fn number(&mut self, label: &str) -> usize {
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(label.to_lowercase()).or_insert(next);
        if number == next {
            self.size += MARKUP;
            self.notes.push(Note::default());
        }
        number
    }

    /// Whether it is named for the first time now.
    pub(super) fn is_first_reference(&mut self, number: usize) -> bool {
        self.notes
            .get_mut(number - 1)
            .is_some_and(|note| !std::mem::replace(&mut note.is_named, true))
    }

    /// What it says. Of two definitions both are shown.
    pub(super) fn define(&mut self, number: usize, body: &Html, direction: &'static str) {
        if let Some(note) = self.notes.get_mut(number - 1) {
            note.body.made(body.as_str());
            self.size += body.len();
            note.direction = direction;
        }
    }

    /// About how many bytes they take at the end.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Writes them as a list, each with a way back to where it was named.
    pub(super) fn write(&self, html: &mut Html) {
        if self.notes.is_empty() {
            return;
        }
        html.markup("<section class=\"notes\" aria-label=\"Footnotes\"><ol>");
        for (number, note) in (1_u64..).zip(&self.notes) {
            html.markup("<li id=\"n-");
            html.number(number);
            html.markup("\"");
            html.markup(note.direction);
            html.markup(">");
            html.made(note.body.as_str());
            if note.is_named {
                html.markup("<a href=\"#r-");
                html.number(number);
                html.markup("\" aria-label=\"Back to the text\">↩</a>");
            }
            html.markup("</li>\n");
        }
        html.markup("</ol></section>\n");
    }
}
