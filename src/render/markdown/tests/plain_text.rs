//! Plain text: computes the text of a document without writing HTML. It is the reference implementation for tests of
//! the writer.
//!
//! The text consists of the texts of the parser's events, with unsafe characters in their visible form. In addition, an
//! alert has its title, a task its box, and an image without a text the word `image`. A footnote has its number, and
//! its text is at the end.

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::super::destination::Destination;
use super::*;
use crate::render::math::{DisplayMode, math};
use crate::render::unsafe_char::visible;

/// The text that was collected so far.
#[derive(Default)]
struct PlainText {
    text: String,
    notes: Vec<Footnote>,
    /// The open footnotes, each with the text before it.
    outer: Vec<(usize, String)>,
    /// The position at which each open image starts.
    images: Vec<usize>,
    /// The position at which the formula in a code block starts.
    formula: Option<usize>,
    is_in_link: bool,
}

struct Footnote {
    label: String,
    text: String,
    leads_back: bool,
}

/// Returns the text of a document.
pub(super) fn plain_text(text: &str) -> String {
    let mut plain_text = PlainText::default();
    let (front_matter, body) = front_matter::split(text);
    plain_text.text += front_matter.unwrap_or_default();
    let body = escapes::escaped(body, TimeBudget::until(&|| false)).expect("there is time");
    for (event, _) in parser(&body) {
        plain_text.event(event);
    }
    for note in plain_text.notes {
        plain_text.text += &note.text;
        plain_text.text += if note.leads_back { "↩" } else { "" };
    }
    visible(&plain_text.text).into_owned()
}

impl PlainText {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text += &text;
            }
            Event::InlineMath(tex) => self.formula(&tex, DisplayMode::Inline),
            Event::DisplayMath(tex) => self.formula(&tex, DisplayMode::Block),
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
                self.is_in_link = Destination::parse(&dest_url).is_some();
            }
            Tag::FootnoteDefinition(label) => {
                let number = self.number(&label);
                self.outer.push((number, std::mem::take(&mut self.text)));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                if let Some(start) = self.formula.take() {
                    let tex = self.text.split_off(start);
                    self.formula(tex.trim(), DisplayMode::Block);
                }
            }
            TagEnd::Image => {
                let start = self.images.pop().expect("an image is open");
                if self.images.is_empty() && self.text[start..].trim().is_empty() {
                    self.text += "image";
                }
            }
            TagEnd::Link if self.images.is_empty() => self.is_in_link = false,
            TagEnd::FootnoteDefinition => {
                let (number, outer) = self.outer.pop().expect("a footnote is open");
                let text = std::mem::replace(&mut self.text, outer);
                self.notes[number].text += &text;
            }
            _ => {}
        }
    }

    fn formula(&mut self, tex: &str, place: DisplayMode) {
        let quoted = tex.strip_prefix('`').and_then(|tex| tex.strip_suffix('`'));
        let tex = quoted.unwrap_or(tex);
        let dollars = match place {
            DisplayMode::Inline => "$",
            DisplayMode::Block => "$$",
        };
        match math(tex, place) {
            _ if !self.images.is_empty() => self.text += tex,
            Some(html) => self.text += &Parsed::of(&html, &[FORMULA]).text,
            None => self.text.extend([dollars, tex, dollars]),
        }
    }

    /// Returns the number of a footnote. The first number is 0.
    fn number(&mut self, label: &str) -> usize {
        let label = label.to_lowercase();
        let known = self.notes.iter().position(|note| note.label == label);
        known.unwrap_or_else(|| {
            self.notes.push(Footnote {
                label,
                text: String::new(),
                leads_back: false,
            });
            self.notes.len() - 1
        })
    }
}
