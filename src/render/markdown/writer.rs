//! The writer: writes the HTML for each event of the parser.
//!
//! Invariants: every opened element is closed, in the right order. No link is within another link. The text of the
//! paste is escaped by [`Writer::text`], [`Writer::attribute`] or the highlighter. The limits are met after every few
//! events.
//! Cost: a few ns per byte. The HTML of headings and footnotes is copied once more.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, LinkType, Tag};

use super::destination::Destination;
use super::document::Document;
use super::footnotes::Footnotes;
use super::headings::Headings;
use super::limits::{EVENTS_PER_CHECK, MAX_DEPTH, MAX_GROWTH, SPARE_OUTPUT};
use crate::paste::Language;
use crate::render::code::Highlighter;
use crate::render::escape::write_text;
use crate::render::math::DisplayMode;
use crate::render::render_key::Link;
use crate::render::time_budget::{OutOfTime, TimeBudget};
use crate::render::unsafe_char::visible;

/// Writes the parser's events as HTML.
pub(super) struct Writer<'a> {
    /// The most bytes of HTML.
    max_size: usize,
    pub(super) budget: TimeBudget<'a>,
    /// Where relative links lead.
    link: Option<Link<'a>>,
    pub(super) highlighter: Highlighter,
    pub(super) html: String,
    pub(super) open: Vec<Open>,
    /// The text of the open code block, raw HTML or image, which is written at its end. Until then, nothing is.
    pub(super) kept: Option<String>,
    /// The text of the open heading, from which its id is made.
    pub(super) heading: Option<String>,
    pub(super) headings: Headings,
    pub(super) footnotes: Footnotes,
    pub(super) is_in_link: bool,
    /// The alignments of the open table's columns.
    pub(super) columns: Vec<Alignment>,
    /// The next cell of the table: its element and its column.
    pub(super) cell: (&'static str, usize),
    /// The bytes of raw HTML so far.
    pub(super) raw_html: usize,
    pub(super) has_unhighlighted_code: bool,
    events: usize,
}

/// An open element.
pub(super) struct Open {
    pub(super) end: End,
    /// The name of its tag in raw HTML. It is empty for an element of Markdown.
    pub(super) raw: String,
}

/// What ends an element, with the values that are needed for it.
pub(super) enum End {
    Markup(&'static str),
    Link,
    Image(Option<Destination>),
    /// The element is a heading of this level. Its text starts at this position.
    Heading(usize, &'static str, usize),
    Code(Option<Language>),
    /// The element is a code block that contains a formula.
    Formula,
    Html,
    /// The element was raw HTML.
    Raw(String),
    /// The element is a footnote with this number. Its text starts at this position.
    Footnote(usize, usize),
}

impl<'a> Writer<'a> {
    pub(super) fn new(body: &str, link: Option<Link<'a>>, budget: TimeBudget<'a>) -> Self {
        Self {
            max_size: body.len() * MAX_GROWTH + SPARE_OUTPUT,
            budget,
            link,
            highlighter: Highlighter::default(),
            html: String::with_capacity(body.len() * 2),
            open: Vec::new(),
            kept: None,
            heading: None,
            headings: Headings::default(),
            footnotes: Footnotes::default(),
            is_in_link: false,
            columns: Vec::new(),
            cell: ("", 0),
            raw_html: 0,
            has_unhighlighted_code: false,
            events: 0,
        }
    }

    /// Returns where a link leads, or `None` if it may not lead there.
    pub(super) fn destination(&self, written: &str) -> Option<Destination> {
        let relative = |link: Link<'_>| link(written).map(Destination::on_page);
        Destination::parse(written).or_else(|| self.link.and_then(relative))
    }

    /// Returns the document. The footnotes are written at its end.
    pub(super) fn finish(mut self) -> Result<Document, OutOfTime> {
        self.end_raw(0)?;
        self.html += &self.footnotes.list();
        Ok(Document {
            html: self.html,
            contents: self.headings.contents(),
            has_unhighlighted_code: self.has_unhighlighted_code,
        })
    }

    /// Writes the HTML for an event.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up or the document exceeds a limit.
    pub(super) fn event(&mut self, event: Event<'_>) -> Result<(), OutOfTime> {
        match event {
            Event::Start(tag) => self.start(tag)?,
            Event::End(_) => {
                self.end_raw(self.first_raw())?;
                let open = self.open.pop().expect("the parser ends what it started");
                self.end(open.end)?;
            }
            Event::Text(text) | Event::Html(text) => self.prose(&text),
            Event::Code(code) => self.text_element("<code>", &code, "</code>"),
            Event::InlineMath(tex) => self.formula(&tex, DisplayMode::Inline)?,
            Event::DisplayMath(tex) => self.formula(&tex, DisplayMode::Block)?,
            Event::InlineHtml(html) => self.tag(&html, false)?,
            Event::FootnoteReference(label) => self.footnote_reference(&label),
            Event::SoftBreak => self.line_break("\n"),
            Event::HardBreak => self.line_break("<br>"),
            Event::Rule => self.markup("<hr>"),
            Event::TaskListMarker(is_done) => self.markup(if is_done {
                "<span class=\"task\" role=\"img\" aria-label=\"done\">☑</span> "
            } else {
                "<span class=\"task\" role=\"img\" aria-label=\"to do\">☐</span> "
            }),
        }
        self.check()
    }

    /// Checks the depth, and sometimes the size and the time.
    pub(super) fn check(&mut self) -> Result<(), OutOfTime> {
        self.events += 1;
        if self.open.len() > MAX_DEPTH {
            return Err(OutOfTime);
        }
        if !self.events.is_multiple_of(EVENTS_PER_CHECK) {
            return Ok(());
        }
        if self.html.len() + self.footnotes.size > self.max_size {
            return Err(OutOfTime);
        }
        self.budget.check()
    }

    fn start(&mut self, tag: Tag<'_>) -> Result<(), OutOfTime> {
        let end = match tag {
            Tag::Paragraph => self.element("<p dir=\"auto\">", "</p>"),
            Tag::Heading { level, .. } => self.heading(level as usize, ""),
            Tag::BlockQuote(None) => self.element("<blockquote dir=\"auto\">", "</blockquote>"),
            Tag::BlockQuote(Some(kind)) => self.alert(kind),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if &*info == "math" => {
                self.keep(End::Formula)
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                let word = info.split([' ', '\t', ',', '{']).next();
                self.keep(End::Code(word.and_then(Language::from_name)))
            }
            Tag::HtmlBlock => self.keep(End::Html),
            Tag::List(None) => self.element("<ul dir=\"auto\">", "</ul>"),
            Tag::List(Some(first)) => {
                self.element(&format!("<ol start=\"{first}\" dir=\"auto\">"), "</ol>")
            }
            Tag::Item => self.element("<li>", "</li>"),
            Tag::FootnoteDefinition(label) => {
                End::Footnote(self.footnotes.number(&label), self.html.len())
            }
            Tag::Table(columns) => self.table(columns)?,
            Tag::TableHead => {
                self.cell = ("th", 0);
                self.element("<thead><tr>", "</tr></thead><tbody>")
            }
            Tag::TableRow => {
                self.cell = ("td", 0);
                self.element("<tr>", "</tr>")
            }
            Tag::TableCell => self.table_cell(),
            Tag::Emphasis => self.element("<em>", "</em>"),
            Tag::Strong => self.element("<strong>", "</strong>"),
            Tag::Strikethrough => self.element("<del>", "</del>"),
            Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            } => {
                let scheme = if link_type == LinkType::Email {
                    "mailto:"
                } else {
                    ""
                };
                let destination = self.destination(&[scheme, &dest_url].concat());
                self.link(destination, &title)
            }
            Tag::Image { dest_url, .. } => self.image(&dest_url),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.keep(End::Code(None)),
            // The parser's options do not enable these tags.
            Tag::MetadataBlock(_)
            | Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition => End::Markup(""),
        };
        self.push(end, "");
        Ok(())
    }

    pub(super) fn push(&mut self, end: End, raw: &str) {
        let raw = raw.to_owned();
        self.open.push(Open { end, raw });
    }

    /// Ends an element that is no longer on the stack.
    pub(super) fn end(&mut self, end: End) -> Result<(), OutOfTime> {
        match end {
            End::Markup(end) => self.markup(end),
            End::Link => {
                self.is_in_link = false;
                self.markup("</a>");
            }
            End::Image(destination) => self.end_image(destination),
            End::Heading(level, class, start) => self.end_heading(level, class, start),
            End::Code(language) => {
                let code = self.kept.take().unwrap_or_default();
                self.code(&code, language)?;
            }
            End::Formula => {
                let tex = self.kept.take().unwrap_or_default();
                self.markup("<p>");
                self.formula(tex.trim(), DisplayMode::Block)?;
                self.markup("</p>");
            }
            End::Html => {
                let html = self.kept.take().unwrap_or_default();
                self.html_block(html.trim())?;
            }
            End::Raw(end) => self.markup(&end),
            End::Footnote(number, start) => {
                let body = self.html.split_off(start);
                self.footnotes.define(number, &body);
            }
        }
        Ok(())
    }

    /// Keeps the text of an element until its end.
    pub(super) fn keep(&mut self, end: End) -> End {
        self.kept = Some(String::new());
        end
    }

    /// Writes markup of the program, unless text is kept.
    pub(super) fn markup(&mut self, markup: &str) {
        if self.kept.is_none() {
            self.html += markup;
        }
    }

    /// Writes text between two pieces of markup of the program.
    pub(super) fn around(&mut self, start: &str, text: &str, end: &str) {
        self.html += start;
        self.text(text);
        self.html += end;
    }

    /// Writes text and escapes it.
    pub(super) fn text(&mut self, text: &str) {
        write_text(text, &mut self.html).expect("a string takes everything");
    }

    /// Writes an attribute. `start` is its name, `="`, and the trusted start of its value.
    pub(super) fn attribute(&mut self, start: &str, value: &str) {
        self.html += start;
        self.text(&visible(value));
        self.html += "\"";
    }
}
