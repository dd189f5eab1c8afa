//! The writer: the state of a document that is being written.
//!
//! [`events`](super::events) dispatches the parser's events; [`blocks`](super::blocks) and [`inline`](super::inline)
//! write the elements.
//! Invariants: every element that is opened is closed, in order; no link is within another; the
//! [limits](super::limits) hold after every event.
//! Cost: a few ns per byte. The text of headings and footnotes is copied once more.

use pulldown_cmark::{Alignment, HeadingLevel};

use super::destination::Destination;
use super::document::Document;
use super::footnotes::Footnotes;
use super::heading_ids::HeadingIds;
use super::html_buffer::HtmlBuffer;
use super::source::MarkdownSource;
use crate::paste::Language;
use crate::render::time_budget::TimeBudget;

/// Writes the parser's events as HTML.
pub(super) struct Writer<'a> {
    pub(super) source: &'a MarkdownSource<'a>,
    pub(super) budget: TimeBudget<'a>,
    pub(super) html: HtmlBuffer,
    /// HTML around the open headings and footnotes, which are written to buffers of their own.
    pub(super) outer: Vec<HtmlBuffer>,
    pub(super) open: Vec<OpenElement>,
    /// Code of the open block, which is highlighted as a whole.
    pub(super) code: Option<String>,
    /// Text of the open image, which has no markup.
    pub(super) image: Option<String>,
    /// Text of the open heading, of which its id is made.
    pub(super) heading: Option<String>,
    pub(super) is_in_link: bool,
    /// Alignments of the open table's columns.
    pub(super) columns: Vec<Alignment>,
    pub(super) next_cell: NextCell,
    pub(super) heading_ids: HeadingIds,
    pub(super) footnotes: Footnotes,
    pub(super) has_unhighlighted_code: bool,
    /// Events that were written.
    pub(super) events: usize,
}

/// The column of a table's next cell.
pub(super) enum NextCell {
    Head(usize),
    Body(usize),
}

/// An open element, with what its end needs.
pub(super) enum OpenElement {
    /// Ends with this markup.
    Markup(&'static str),
    Link,
    Image(Option<Destination>),
    Heading(HeadingLevel, Direction),
    Code(Option<Language>),
    /// A code block that is a formula.
    Formula,
    /// A footnote with this number.
    Footnote(usize, Direction),
}

/// The attribute that lets a block find its own writing direction, or nothing.
pub(super) type Direction = &'static str;

impl<'a> Writer<'a> {
    pub(super) fn new(source: &'a MarkdownSource<'a>, budget: TimeBudget<'a>) -> Self {
        Self {
            source,
            budget,
            html: HtmlBuffer::with_capacity(source.len() * 2),
            outer: Vec::new(),
            open: Vec::new(),
            code: None,
            image: None,
            heading: None,
            is_in_link: false,
            columns: Vec::new(),
            next_cell: NextCell::Head(0),
            heading_ids: HeadingIds::default(),
            footnotes: Footnotes::default(),
            has_unhighlighted_code: false,
            events: 0,
        }
    }

    /// Returns the document, with its footnotes at the end.
    pub(super) fn finish(mut self) -> Document {
        self.footnotes.write(&mut self.html);
        Document::new(self.html.into_string(), self.has_unhighlighted_code)
    }

    /// Bytes of HTML so far, including footnotes that are written at the end.
    pub(super) fn size(&self) -> usize {
        let outer: usize = self.outer.iter().map(HtmlBuffer::len).sum();
        self.html.len() + outer + self.footnotes.size()
    }

    /// Starts a buffer for an element that is written elsewhere or later.
    pub(super) fn start_nested(&mut self) {
        self.outer.push(std::mem::take(&mut self.html));
    }

    /// Ends that buffer and returns it.
    pub(super) fn finish_nested(&mut self) -> HtmlBuffer {
        let outer = self.outer.pop().expect("a nested buffer was started");
        std::mem::replace(&mut self.html, outer)
    }

    /// Appends text to the id of the open heading, if there is one.
    pub(super) fn name_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
    }
}
