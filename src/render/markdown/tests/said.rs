//! Said: the words of a document, found without writing any HTML. The naive twin of the writer.
//!
//! The words are those of the parser's events, with odd characters shown. Beside them: an alert says what it is, a task
//! whether it is done, an image without a text that it is one; a note is named by its number, and stands at the end.

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::super::address::Address;
use super::*;
use crate::render::math::{Place, math};
use crate::render::odd::shown;

/// What was said so far.
#[derive(Default)]
struct Said {
    text: String,
    notes: Vec<Note>,
    /// The notes that are open, and what was said before each.
    below: Vec<(usize, String)>,
    /// Where the images that are open began.
    images: Vec<usize>,
    /// Where the formula in a block of code began.
    formula: Option<usize>,
    is_in_link: bool,
}

struct Note {
    label: String,
    text: String,
    leads_back: bool,
}

/// The words of the document that a text describes.
pub(super) fn said(text: &str) -> String {
    let mut said = Said::default();
    let source = Source::of(text, TimeBudget::until(&|| false)).expect("there is time");
    for (event, _) in source.events() {
        said.event(event);
    }
    for note in said.notes {
        said.text += &note.text;
        said.text += if note.leads_back { "↩" } else { "" };
    }
    shown(&said.text).into_owned()
}

impl Said {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text += &text;
            }
            Event::InlineMath(tex) => self.formula(&tex, Place::Inline),
            Event::DisplayMath(tex) => self.formula(&tex, Place::Block),
            Event::FootnoteReference(label) if self.images.is_empty() => {
                let number = self.number(&label);
                self.text += &(number + 1).to_string();
                self.notes[number].leads_back |= !self.is_in_link;
            }
            Event::FootnoteReference(_) | Event::Rule => {}
            Event::SoftBreak | Event::HardBreak => self.text += "\n",
            Event::TaskListMarker(is_done) => self.text += if is_done { "☑" } else { "☐" },
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::BlockQuote(Some(kind)) => self.text += &format!("{kind:?}"),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if &*info == "math" => {
                self.formula = Some(self.text.len());
            }
            Tag::Image { .. } => self.images.push(self.text.len()),
            Tag::Link { dest_url, .. } if self.images.is_empty() => {
                self.is_in_link = Address::parse(&dest_url).is_some();
            }
            Tag::FootnoteDefinition(label) => {
                let number = self.number(&label);
                self.below.push((number, std::mem::take(&mut self.text)));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                if let Some(start) = self.formula.take() {
                    let tex = self.text.split_off(start);
                    self.formula(tex.trim(), Place::Block);
                }
            }
            TagEnd::Image => {
                let start = self.images.pop().expect("an image that began");
                if self.images.is_empty() && self.text[start..].trim().is_empty() {
                    self.text += "image";
                }
            }
            TagEnd::Link if self.images.is_empty() => self.is_in_link = false,
            TagEnd::FootnoteDefinition => {
                let (number, below) = self.below.pop().expect("a note that began");
                let text = std::mem::replace(&mut self.text, below);
                self.notes[number].text += &text;
            }
            _ => {}
        }
    }

    fn formula(&mut self, tex: &str, place: Place) {
        let dollars = match place {
            Place::Inline => "$",
            Place::Block => "$$",
        };
        match math(tex, place) {
            _ if !self.images.is_empty() => self.text += tex,
            Some(html) => self.text += &Parsed::of(&html, &[FORMULA]).text,
            None => self.text.extend([dollars, tex, dollars]),
        }
    }

    /// The number of a note, from 0.
    fn number(&mut self, label: &str) -> usize {
        let label = label.to_lowercase();
        let known = self.notes.iter().position(|note| note.label == label);
        known.unwrap_or_else(|| {
            self.notes.push(Note {
                label,
                text: String::new(),
                leads_back: false,
            });
            self.notes.len() - 1
        })
    }
}
