//! The writer: holds the state of a document while its HTML is written.
//!
//! The module [`events`](super::events) dispatches the parser's events. The modules [`blocks`](super::blocks) and
//! [`inline`](super::inline) write the elements.
//! Invariants: every opened element is closed, in the right order. No link is within another link. The
//! [limits](super::limits) are met after every event.
//! Cost: a few ns per byte. The text of headings and footnotes is copied once more.

use pulldown_cmark::{Alignment, HeadingLevel};

use super::contents::Contents;
use super::destination::Destination;
use super::document::Document;
use super::footnotes::Footnotes;
use super::heading_ids::HeadingIds;
use super::html_buffer::HtmlBuffer;
use super::raw_html::BalancedTags;
use super::source::MarkdownSource;
use crate::paste::Language;
use crate::render::code::Highlighter;
use crate::render::time_budget::TimeBudget;

/// Writes the parser's events as HTML.
pub(super) struct Writer<'a> {
    pub(super) source: &'a MarkdownSource<'a>,
    pub(super) budget: TimeBudget<'a>,
    pub(super) highlighter: Highlighter,
    pub(super) html: HtmlBuffer,
    /// The HTML around the open headings and footnotes. These have their own buffers until they end.
    pub(super) outer: Vec<HtmlBuffer>,
    pub(super) open: Vec<OpenElement>,
    /// The code of the open code block. It is highlighted as a whole at its end.
    pub(super) code: Option<String>,
    /// The text of the open image, without markup.
    pub(super) image: Option<String>,
    /// The text of the open heading, from which its id is made.
    pub(super) heading: Option<String>,
    pub(super) is_in_link: bool,
    /// The alignments of the open table's columns.
    pub(super) columns: Vec<Alignment>,
    pub(super) next_cell: NextCell,
    pub(super) heading_ids: HeadingIds,
    pub(super) contents: Contents,
    pub(super) footnotes: Footnotes,
    pub(super) tags: BalancedTags,
    pub(super) has_unhighlighted_code: bool,
    /// The number of events that were written.
    pub(super) events: usize,
}

/// The position of a table's next cell.
pub(super) enum NextCell {
    Head(usize),
    Body(usize),
}

/// An open element, with the values that are needed to close it.
pub(super) enum OpenElement {
    /// The element ends with this markup.
    Markup(&'static str),
    Link,
    Image(Option<Destination>),
    Heading(HeadingLevel, Direction),
    Code(Option<Language>),
    /// The element is a code block that contains a formula.
    Formula,
    /// The block is raw HTML. Its text is collected until its end, like code.
    Html(Direction),
    /// A details element, which was started by raw HTML.
    Details,
    /// The element is a footnote with this number.
    Footnote(usize, Direction),
}

/// The HTML attribute that makes a browser detect a block's writing direction, or an empty string.
pub(super) type Direction = &'static str;

impl<'a> Writer<'a> {
    pub(super) fn new(
        source: &'a MarkdownSource<'a>,
        tags: BalancedTags,
        budget: TimeBudget<'a>,
    ) -> Self {
        Self {
            source,
            budget,
            highlighter: Highlighter::default(),
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
            contents: Contents::default(),
            footnotes: Footnotes::default(),
            tags,
            has_unhighlighted_code: false,
            events: 0,
        }
    }

    /// Returns the document. The footnotes are written at its end.
    pub(super) fn finish(mut self) -> Document {
        self.footnotes.write(&mut self.html);
        Document::new(
            self.html.into_string(),
            self.contents.finish(),
            self.has_unhighlighted_code,
        )
    }

    /// Returns the bytes of HTML so far. The footnotes, which are written at the end, and the table of contents are
    /// included.
    pub(super) fn size(&self) -> usize {
        let outer: usize = self.outer.iter().map(HtmlBuffer::len).sum();
        self.html.len() + outer + self.footnotes.size() + self.contents.size()
    }

    /// Starts a separate buffer for an element that is written elsewhere or later.
    pub(super) fn start_nested(&mut self) {
        self.outer.push(std::mem::take(&mut self.html));
    }

    /// Ends the buffer of the last [`start_nested`](Self::start_nested) and returns it.
    pub(super) fn finish_nested(&mut self) -> HtmlBuffer {
        let outer = self.outer.pop().expect("a nested buffer was started");
        std::mem::replace(&mut self.html, outer)
    }

    /// Appends text to the text from which the open heading's id is made, if a heading is open.
    pub(super) fn name_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
    }
}
