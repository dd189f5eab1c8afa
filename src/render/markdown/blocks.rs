//! Block elements: writes headings, tables, alerts and code blocks.

use std::ops::Range;

use pulldown_cmark::{Alignment, BlockQuoteKind, HeadingLevel};

use super::code_block::CodeBlock;
use super::heading_ids::HEADING;
use super::limits::MAX_COLUMNS;
use super::writer::{Direction, NextCell, OpenElement, Writer};
use crate::paste::Language;
use crate::render::time_budget::OutOfTime;
use crate::render::unsafe_char::is_plain;

impl Writer<'_> {
    /// Starts a block element. Its start tag is made of `start`, `direction` and `rest`.
    pub(super) fn block(
        &mut self,
        start: &'static str,
        direction: Direction,
        rest: &'static str,
        end: &'static str,
    ) -> OpenElement {
        self.html.markup(start);
        self.html.markup(direction);
        self.html.markup(rest);
        OpenElement::Markup(end)
    }

    /// Returns the attribute for the writing direction of a block. Only an outermost block, or one in
    /// details, gets one. Nested blocks,
    /// list markers and the order of columns follow it.
    pub(super) fn direction(&self, range: Range<usize>) -> Direction {
        let is_details = |element: &OpenElement| matches!(element, OpenElement::Details);
        let is_outermost = self.open.iter().all(is_details);
        if is_outermost && !self.source.body()[range].is_ascii() {
            " dir=\"auto\""
        } else {
            ""
        }
    }

    /// Starts a heading. Its id is known only at its end.
    pub(super) fn heading(&mut self, level: HeadingLevel, direction: Direction) -> OpenElement {
        self.heading = Some(String::new());
        self.start_nested();
        OpenElement::Heading(level, direction)
    }

    pub(super) fn end_heading(&mut self, level: HeadingLevel, direction: Direction) {
        let heading = self.heading.take().expect("a heading is open");
        let slug = self.heading_ids.id(&heading);
        self.contents.add(level as usize, &heading, &slug);
        let id = [HEADING, &slug].concat();
        let (start, end) = match level {
            HeadingLevel::H1 => ("<h2", "</h2>\n"),
            HeadingLevel::H2 => ("<h3", "</h3>\n"),
            HeadingLevel::H3 => ("<h4", "</h4>\n"),
            HeadingLevel::H4 => ("<h5", "</h5>\n"),
            HeadingLevel::H5 | HeadingLevel::H6 => ("<h6", "</h6>\n"),
        };
        let text = self.finish_nested();
        let html = &mut self.html;
        html.markup(start);
        html.attribute(" id=\"", &id);
        html.markup(direction);
        html.markup(">");
        html.fragment(text.as_str());
        // This link is for pointers only. Otherwise users of keyboards and screen readers would have to pass one more
        // link per heading.
        html.markup("<a class=\"anchor\" tabindex=\"-1\" aria-hidden=\"true\"");
        html.attribute(" href=\"#", &id);
        html.markup("></a>");
        html.markup(end);
    }

    /// Starts a code block. Its text is collected until its end.
    pub(super) fn code(&mut self, open: OpenElement) -> OpenElement {
        self.code = Some(String::new());
        open
    }

    pub(super) fn end_code(&mut self, language: Option<Language>) -> Result<(), OutOfTime> {
        let code = self.code.take().expect("a code block is open");
        self.budget.check()?;
        let block = CodeBlock::new(&code, language, &mut self.highlighter, &self.budget)?;
        self.has_unhighlighted_code |= block.is_partly_highlighted;
        // A script labels the copy of such code as inexact.
        self.html.markup(if is_plain(&code) {
            "<pre tabindex=\"0\"><code>"
        } else {
            "<pre class=\"inexact\" tabindex=\"0\"><code>"
        });
        self.html.fragment(&block.html);
        self.html.markup("</code></pre>\n");
        self.budget.check()
    }

    pub(super) fn table(
        &mut self,
        columns: Vec<Alignment>,
        direction: Direction,
    ) -> Result<OpenElement, OutOfTime> {
        if columns.len() > MAX_COLUMNS {
            return Err(OutOfTime);
        }
        self.columns = columns;
        self.html
            .markup("<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">");
        Ok(self.block("<table", direction, ">\n", "</tbody></table></div>\n"))
    }

    pub(super) fn table_cell(&mut self) -> OpenElement {
        let (NextCell::Head(column) | NextCell::Body(column)) = &mut self.next_cell;
        // The parser cuts each row to the number of columns in the table's head.
        let class = match self.columns[*column] {
            Alignment::None => ">",
            Alignment::Left => " class=\"left\">",
            Alignment::Center => " class=\"center\">",
            Alignment::Right => " class=\"right\">",
        };
        *column += 1;
        match self.next_cell {
            NextCell::Head(_) => self.block("<th", "", class, "</th>"),
            NextCell::Body(_) => self.block("<td", "", class, "</td>"),
        }
    }

    /// Starts an alert and writes its title. The title has its own direction, so that the alert's direction depends
    /// only on its text.
    pub(super) fn alert(&mut self, kind: BlockQuoteKind, direction: Direction) -> OpenElement {
        let (class, title) = match kind {
            BlockQuoteKind::Note => ("alert", "Note"),
            BlockQuoteKind::Tip => ("alert tip", "Tip"),
            BlockQuoteKind::Important => ("alert important", "Important"),
            BlockQuoteKind::Warning => ("alert warning", "Warning"),
            BlockQuoteKind::Caution => ("alert caution", "Caution"),
        };
        self.html.markup("<div");
        self.html.markup(direction);
        self.html.attribute(" class=\"", class);
        self.html
            .markup(" role=\"note\">\n<p class=\"title\" dir=\"ltr\">");
        self.html.markup(title);
        self.block("", "", "</p>\n", "</div>\n")
    }
}
