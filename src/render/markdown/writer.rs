//! The writer: a parser's events, one after the other, as HTML.
//!
//! What it must not know: the text that the events are of, but whether a part of it is ASCII.
//! Invariants: every element that is opened is closed in turn; no link is within another; the bounds of
//! [`markdown`](super) hold after every event.
//! Cost: a few ns a byte; what a heading or a note says is copied once more.

use std::ops::Range;

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, LinkType, Tag,
};

use super::DEEPEST;
use super::Document;
use super::EVENTS_A_CHECK;
use super::MOST_COLUMNS;
use super::MOST_GROWTH;
use super::SPARE_OUTPUT;
use super::address::Address;
use super::anchors::{Anchors, HEADING};
use super::code;
use super::html::Html;
use super::notes::Notes;
use super::source::Source;
use crate::paste::Language;
use crate::render::math::{Place, math};
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// A document half written.
pub(super) struct Writer<'a> {
    source: &'a Source<'a>,
    budget: TimeBudget<'a>,
    pub(super) html: Html,
    /// What was being written when the headings and notes that are open began.
    below: Vec<Html>,
    open: Vec<Open>,
    /// The code of the block that is open, which is coloured as a whole.
    code: Option<String>,
    /// The text of the image that is open, in which there is no markup.
    pub(super) image: Option<String>,
    /// The text of the heading that is open, which names it.
    pub(super) heading: Option<String>,
    pub(super) is_in_link: bool,
    /// How the cells of the row that is open stand.
    columns: Vec<Alignment>,
    cell: Cells,
    anchors: Anchors,
    pub(super) notes: Notes,
    /// Whether the colours of some code ended before it did.
    lacks_colours: bool,
    events: usize,
}

/// Which cell of a table comes next.
enum Cells {
    Head(usize),
    Body(usize),
}

/// What an end event will close.
pub(super) enum Open {
    /// Whatever ends with this.
    Element(&'static str),
    Link,
    Image(Option<Address>),
    Heading(HeadingLevel, Direction),
    Code(Option<Language>),
    /// Code that is a formula.
    Formula,
    /// A footnote of this number.
    Note(usize, Direction),
}

/// The attribute that lets a block find its own direction, or nothing.
type Direction = &'static str;

impl<'a> Writer<'a> {
    pub(super) fn new(source: &'a Source<'a>, budget: TimeBudget<'a>) -> Self {
        Self {
            source,
            budget,
            html: Html::with_capacity(source.len() * 2),
            below: Vec::new(),
            open: Vec::new(),
            code: None,
            image: None,
            heading: None,
            is_in_link: false,
            columns: Vec::new(),
            cell: Cells::Head(0),
            anchors: Anchors::default(),
            notes: Notes::default(),
            lacks_colours: false,
            events: 0,
        }
    }

    /// Writes what an event says; the range is of the source.
    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), OutOfTime> {
        match event {
            Event::Start(tag) => self.start(tag, range)?,
            Event::End(_) => self.end()?,
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.piece("<code>", &code, "</code>"),
            Event::InlineMath(tex) => self.formula(&tex, Place::Inline)?,
            Event::DisplayMath(tex) => self.formula(&tex, Place::Block)?,
            Event::Html(html) => self.html.text(&html),
            Event::InlineHtml(html) => self.piece("<span class=\"html\">", &html, "</span>"),
            Event::FootnoteReference(label) => self.reference(&label),
            Event::SoftBreak => self.line_break("\n"),
            Event::HardBreak => self.line_break("<br>\n"),
            Event::Rule => self.html.markup("<hr>\n"),
            Event::TaskListMarker(is_done) => self.html.markup(if is_done {
                "<span class=\"task\" role=\"img\" aria-label=\"done\">☑</span> "
            } else {
                "<span class=\"task\" role=\"img\" aria-label=\"to do\">☐</span> "
            }),
        }
        self.events += 1;
        if self.events.is_multiple_of(EVENTS_A_CHECK) {
            self.budget.check()?;
        }
        self.check_size()
    }

    /// All of it, the notes at the end.
    pub(super) fn finish(mut self) -> Document {
        self.notes.write(&mut self.html);
        Document {
            html: self.html.into_string(),
            lacks_colours: self.lacks_colours,
        }
    }

    fn check_size(&self) -> Result<(), OutOfTime> {
        let below: usize = self.below.iter().map(Html::len).sum();
        let written = self.html.len() + below + self.notes.size();
        if written > self.source.len() * MOST_GROWTH + SPARE_OUTPUT || self.open.len() > DEEPEST {
            return Err(OutOfTime);
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) -> Result<(), OutOfTime> {
        let direction = self.direction(range);
        let open = match tag {
            Tag::Paragraph => self.block("<p", direction, ">", "</p>\n"),
            Tag::Heading { level, .. } => {
                self.heading = Some(String::new());
                self.set_aside();
                Open::Heading(level, direction)
            }
            Tag::BlockQuote(None) => self.block("<blockquote", direction, ">\n", "</blockquote>\n"),
            Tag::BlockQuote(Some(kind)) => self.block("<div", direction, alert(kind), "</div>\n"),
            Tag::CodeBlock(kind) => {
                self.code = Some(String::new());
                match kind {
                    CodeBlockKind::Indented => Open::Code(None),
                    CodeBlockKind::Fenced(info) if &*info == "math" => Open::Formula,
                    CodeBlockKind::Fenced(info) => Open::Code(code::language(&info)),
                }
            }
            Tag::MetadataBlock(_) => {
                self.code = Some(String::new());
                Open::Code(Language::named("yaml"))
            }
            Tag::HtmlBlock => self.block("<p class=\"html\"", direction, ">", "</p>\n"),
            Tag::List(None) => self.block("<ul", direction, ">\n", "</ul>\n"),
            Tag::List(Some(1)) => self.block("<ol", direction, ">\n", "</ol>\n"),
            Tag::List(Some(first)) => {
                self.html.markup("<ol start=\"");
                self.html.number(first);
                self.block("\"", direction, ">\n", "</ol>\n")
            }
            Tag::Item => self.block("<li", "", ">", "</li>\n"),
            Tag::FootnoteDefinition(label) => {
                let number = self.notes.number(&label);
                self.set_aside();
                Open::Note(number, direction)
            }
            Tag::Table(columns) => self.table(columns, direction)?,
            Tag::TableHead => {
                self.cell = Cells::Head(0);
                self.block("<thead>", "", "<tr>", "</tr></thead><tbody>\n")
            }
            Tag::TableRow => {
                self.cell = Cells::Body(0);
                self.block("<tr", "", ">", "</tr>\n")
            }
            Tag::TableCell => self.table_cell(),
            Tag::Emphasis => self.span("<em>", "</em>"),
            Tag::Strong => self.span("<strong>", "</strong>"),
            Tag::Strikethrough => self.span("<del>", "</del>"),
            Tag::Link {
                link_type: LinkType::Email,
                dest_url,
                title,
                ..
            } => self.link(Address::mailbox(&dest_url), &title),
            Tag::Link {
                dest_url, title, ..
            } => self.link(Address::parse(&dest_url), &title),
            Tag::Image { dest_url, .. } => self.image(&dest_url),
            // Of flavours that nobody asked the parser for.
            Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition => Open::Element(""),
        };
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutOfTime> {
        match self.open.pop() {
            Some(Open::Element(end)) => self.html.markup(end),
            Some(Open::Link) => self.end_link(),
            Some(Open::Image(address)) => self.end_image(address),
            Some(Open::Heading(level, direction)) => self.end_heading(level, direction),
            Some(Open::Code(language)) => {
                let code = self.code.take().unwrap_or_default();
                self.budget.check()?;
                let code = code::highlighted(&code, language, &self.budget)?;
                self.lacks_colours |= code.lacks_colours;
                self.html.markup("<pre tabindex=\"0\"><code>");
                self.html.made(&code.html);
                self.html.markup("</code></pre>\n");
                self.budget.check()?;
            }
            Some(Open::Formula) => {
                let tex = self.code.take().unwrap_or_default();
                self.html.markup("<p>");
                self.formula(tex.trim(), Place::Block)?;
                self.html.markup("</p>\n");
            }
            Some(Open::Note(number, direction)) => {
                let body = self.take_up();
                self.notes.define(number, &body, direction);
            }
            None => {}
        }
        Ok(())
    }

    /// A formula, or its source if it cannot be shown as one.
    fn formula(&mut self, tex: &str, place: Place) -> Result<(), OutOfTime> {
        self.budget.check()?;
        if let Some(image) = &mut self.image {
            image.push_str(tex);
            return Ok(());
        }
        self.name_heading(tex);
        match (math(tex, place), place) {
            (Some(mathml), Place::Inline) => self.html.made(&mathml),
            // Scrolls as a table does, but for one in a link, which has the focus itself. A span, since it may stand
            // in a paragraph.
            (Some(mathml), Place::Block) => {
                self.html.markup(if self.is_in_link {
                    "<span class=\"math\">"
                } else {
                    "<span class=\"math\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\">"
                });
                self.html.made(&mathml);
                self.html.markup("</span>");
            }
            (None, _) => {
                let dollars = match place {
                    Place::Inline => "$",
                    Place::Block => "$$",
                };
                self.html.markup("<code class=\"tex\">");
                self.html.markup(dollars);
                self.html.text(tex);
                self.html.markup(dollars);
                self.html.markup("</code>");
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.push_str(text),
            None => self.prose(text),
        }
    }

    fn block(
        &mut self,
        start: &'static str,
        direction: Direction,
        rest: &'static str,
        end: &'static str,
    ) -> Open {
        self.html.markup(start);
        self.html.markup(direction);
        self.html.markup(rest);
        Open::Element(end)
    }

    /// Only the outermost block that needs one gets a direction: those within it follow, markers of lists and order of
    /// columns too.
    fn direction(&self, range: Range<usize>) -> Direction {
        let is_outermost = self.open.is_empty();
        if is_outermost && !self.source.body()[range].is_ascii() {
            " dir=\"auto\""
        } else {
            ""
        }
    }

    fn end_heading(&mut self, level: HeadingLevel, direction: Direction) {
        let name = self.anchors.name(&self.heading.take().unwrap_or_default());
        let (start, end) = match level {
            HeadingLevel::H1 => ("<h2", "</h2>\n"),
            HeadingLevel::H2 => ("<h3", "</h3>\n"),
            HeadingLevel::H3 => ("<h4", "</h4>\n"),
            HeadingLevel::H4 => ("<h5", "</h5>\n"),
            HeadingLevel::H5 | HeadingLevel::H6 => ("<h6", "</h6>\n"),
        };
        let text = self.take_up();
        let html = &mut self.html;
        html.markup(start);
        html.markup(" id=\"");
        html.markup(HEADING);
        html.value(&name);
        html.markup("\"");
        html.markup(direction);
        html.markup(">");
        html.made(text.as_str());
        // A convenience for who points at it; for everybody else it would be one more stop on the way.
        html.markup("<a class=\"anchor\" tabindex=\"-1\" aria-hidden=\"true\" href=\"#");
        html.markup(HEADING);
        html.value(&name);
        html.markup("\"></a>");
        html.markup(end);
    }

    fn table(&mut self, columns: Vec<Alignment>, direction: Direction) -> Result<Open, OutOfTime> {
        if columns.len() > MOST_COLUMNS {
            return Err(OutOfTime);
        }
        self.columns = columns;
        self.html
            .markup("<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">");
        Ok(self.block("<table", direction, ">\n", "</tbody></table></div>\n"))
    }

    fn table_cell(&mut self) -> Open {
        let (Cells::Head(column) | Cells::Body(column)) = &mut self.cell;
        let alignment = self.columns.get(*column).copied();
        *column += 1;
        let class = match alignment.unwrap_or(Alignment::None) {
            Alignment::None => ">",
            Alignment::Left => " class=\"left\">",
            Alignment::Center => " class=\"center\">",
            Alignment::Right => " class=\"right\">",
        };
        match self.cell {
            Cells::Head(_) => self.block("<th", "", class, "</th>"),
            Cells::Body(_) => self.block("<td", "", class, "</td>"),
        }
    }

    /// Begins something that is written elsewhere or later.
    fn set_aside(&mut self) {
        self.below.push(std::mem::take(&mut self.html));
    }

    /// Ends it, and gives it.
    fn take_up(&mut self) -> Html {
        let below = self.below.pop().unwrap_or_default();
        std::mem::replace(&mut self.html, below)
    }
}

/// The rest of the tag of an alert, and its title. That has a direction of its own, so as not to give it to the alert.
fn alert(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => {
            " class=\"alert\" role=\"note\">\n<p class=\"title\" dir=\"ltr\">Note</p>\n"
        }
        BlockQuoteKind::Tip => {
            " class=\"alert tip\" role=\"note\">\n<p class=\"title\" dir=\"ltr\">Tip</p>\n"
        }
        BlockQuoteKind::Important => {
            " class=\"alert important\" role=\"note\">\n<p class=\"title\" dir=\"ltr\">Important</p>\n"
        }
        BlockQuoteKind::Warning => {
            " class=\"alert warning\" role=\"note\">\n<p class=\"title\" dir=\"ltr\">Warning</p>\n"
        }
        BlockQuoteKind::Caution => {
            " class=\"alert caution\" role=\"note\">\n<p class=\"title\" dir=\"ltr\">Caution</p>\n"
        }
    }
}
