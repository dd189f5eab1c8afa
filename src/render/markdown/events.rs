//! Events: writes the HTML for each event of the parser.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Tag};

use super::code_block;
use super::destination::Destination;
use super::limits::{EVENTS_PER_CHECK, MAX_DEPTH, MAX_GROWTH, SPARE_OUTPUT};
use super::writer::{NextCell, OpenElement, Writer};
use crate::paste::Language;
use crate::render::math::DisplayMode;
use crate::render::time_budget::OutOfTime;

impl Writer<'_> {
    /// Writes the HTML for an event. The range is the event's byte range in the body of the source.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up or the document exceeds a limit.
    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), OutOfTime> {
        match event {
            Event::Start(tag) => self.start(tag, range)?,
            Event::End(_) => self.end()?,
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.text_element("<code>", &code, "</code>"),
            Event::InlineMath(tex) => self.formula(&tex, DisplayMode::Inline)?,
            Event::DisplayMath(tex) => self.formula(&tex, DisplayMode::Block)?,
            Event::Html(html) => self.text(&html),
            Event::InlineHtml(html) => self.inline_html(&html),
            Event::FootnoteReference(label) => self.footnote_reference(&label),
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
        if self.events.is_multiple_of(EVENTS_PER_CHECK) {
            self.budget.check()?;
        }
        self.check_limits()
    }

    fn check_limits(&self) -> Result<(), OutOfTime> {
        let max_size = self.source.len() * MAX_GROWTH + SPARE_OUTPUT;
        if self.size() > max_size || self.open.len() > MAX_DEPTH {
            return Err(OutOfTime);
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) -> Result<(), OutOfTime> {
        let direction = self.direction(range);
        let open = match tag {
            Tag::Paragraph => self.block("<p", direction, ">", "</p>\n"),
            Tag::Heading { level, .. } => self.heading(level, direction),
            Tag::BlockQuote(None) => self.block("<blockquote", direction, ">\n", "</blockquote>\n"),
            Tag::BlockQuote(Some(kind)) => self.alert(kind, direction),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.code(OpenElement::Code(None)),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if &*info == "math" => {
                self.code(OpenElement::Formula)
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                self.code(OpenElement::Code(code_block::language(&info)))
            }
            Tag::MetadataBlock(_) => self.code(OpenElement::Code(Language::from_name("yaml"))),
            Tag::HtmlBlock => self.code(OpenElement::Html(direction)),
            Tag::List(None) => self.block("<ul", direction, ">\n", "</ul>\n"),
            Tag::List(Some(1)) => self.block("<ol", direction, ">\n", "</ol>\n"),
            Tag::List(Some(first)) => {
                self.html.with_number("<ol start=\"", first, "\"");
                self.block("", direction, ">\n", "</ol>\n")
            }
            Tag::Item => self.block("<li", "", ">", "</li>\n"),
            Tag::FootnoteDefinition(label) => {
                let number = self.footnotes.number(&label);
                self.start_nested();
                OpenElement::Footnote(number, direction)
            }
            Tag::Table(columns) => self.table(columns, direction)?,
            Tag::TableHead => {
                self.next_cell = NextCell::Head(0);
                self.block("<thead>", "", "<tr>", "</tr></thead><tbody>\n")
            }
            Tag::TableRow => {
                self.next_cell = NextCell::Body(0);
                self.block("<tr", "", ">", "</tr>\n")
            }
            Tag::TableCell => self.table_cell(),
            Tag::Emphasis => self.inline_element("<em>", "</em>"),
            Tag::Strong => self.inline_element("<strong>", "</strong>"),
            Tag::Strikethrough => self.inline_element("<del>", "</del>"),
            Tag::Link {
                link_type: LinkType::Email,
                dest_url,
                title,
                ..
            } => self.link(Destination::email(&dest_url), &title),
            Tag::Link {
                dest_url, title, ..
            } => self.link(Destination::parse(&dest_url), &title),
            Tag::Image { dest_url, .. } => self.image(&dest_url),
            // The parser's options do not enable these tags.
            Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition => OpenElement::Markup(""),
        };
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutOfTime> {
        match self.open.pop().expect("the parser ends what it started") {
            OpenElement::Markup(end) => self.html.markup(end),
            OpenElement::Link => self.end_link(),
            OpenElement::Image(destination) => self.end_image(destination),
            OpenElement::Heading(level, direction) => self.end_heading(level, direction),
            OpenElement::Code(language) => self.end_code(language)?,
            OpenElement::Formula => {
                let tex = self.code.take().expect("a code block is open");
                self.html.markup("<p>");
                self.formula(tex.trim(), DisplayMode::Block)?;
                self.html.markup("</p>\n");
            }
            OpenElement::Html(direction) => {
                let html = self.code.take().expect("raw HTML is open");
                self.html_block(&html, direction);
            }
            OpenElement::Details => self.html.markup("</details>\n"),
            OpenElement::Footnote(number, direction) => {
                let body = self.finish_nested();
                self.footnotes.define(number, &body, direction);
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
}
