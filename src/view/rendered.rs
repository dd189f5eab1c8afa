//! Rendering: the part of a paste's page that costs time, and stays the same whoever asks and whenever.
//!
//! What it must not know: the page around it, who asks, what the time is; so it may be kept and shown to everybody.
//! Invariants: whatever comes from the paste is escaped, or of the elements and attributes that the renderer of its
//! kind allows; a renderer that uses up its [`Allowance`] is replaced by the plain listing, which says so.

use super::allowance::Allowance;
use super::excerpt::Excerpt;
use super::hex::HexView;
use super::listing;
use super::page_cache::Shape;
use crate::paste::{Language, LineRange, Paste};

/// A paste as it is shown.
#[derive(Debug)]
pub struct Rendered {
    pub(super) body: Body,
    /// What it is, for a person.
    pub(super) kind: &'static str,
    /// How many lines the whole text has.
    pub(super) lines: Option<usize>,
    /// How many of them are shown, if not all.
    shown_lines: Option<usize>,
    /// Whether the text on the page is the text of the paste.
    pub(super) can_copy: bool,
    /// What is not shown, or not shown as asked.
    pub(super) note: Option<String>,
}

/// How it is shown.
#[derive(Debug)]
pub(super) enum Body {
    /// As lines with numbers; HTML.
    Listing(String),
    /// As bytes.
    Hex(String),
}

impl Rendered {
    /// Renders the paste in this shape.
    #[must_use]
    pub fn new(paste: &Paste, shape: Shape, allowance: Allowance<'_>) -> Self {
        match paste.text() {
            Some(text) => Self::text(text, shape.language, allowance),
            None => Self::binary(paste.bytes()),
        }
    }

    pub(super) fn text(text: &str, language: Language, _allowance: Allowance<'_>) -> Self {
        let excerpt = Excerpt::of(text);
        Self {
            body: Body::Listing(listing::listing(excerpt.shown(), &[])),
            kind: language.label(),
            lines: Some(excerpt.lines()),
            shown_lines: excerpt.shown_lines(),
            can_copy: listing::is_faithful(&excerpt),
            note: excerpt.what_is_shown(),
        }
    }

    fn binary(bytes: &[u8]) -> Self {
        let view = HexView::new(bytes);
        Self {
            body: Body::Hex(view.to_string()),
            kind: "Binary data",
            lines: None,
            shown_lines: None,
            can_copy: false,
            note: Some(view.what_is_shown()),
        }
    }

    /// Whether the first of these lines is behind what is shown.
    pub(super) fn is_out_of_sight(&self, lines: LineRange) -> bool {
        self.shown_lines.is_some_and(|shown| lines.first() > shown)
    }

    /// Bytes of memory that it takes, in all.
    #[must_use]
    pub fn size(&self) -> usize {
        let (Body::Listing(html) | Body::Hex(html)) = &self.body;
        size_of::<Self>() + html.capacity() + self.note.as_ref().map_or(0, String::capacity)
    }
}
