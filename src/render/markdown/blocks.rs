//! Block elements: writes headings, tables, alerts and code blocks.

use pulldown_cmark::{Alignment, BlockQuoteKind};

use super::headings::HEADING;
use super::limits::MAX_COLUMNS;
use super::writer::{End, Writer};
use crate::paste::Language;
use crate::render::code::Highlighting;
use crate::render::listing::write_highlighted;
use crate::render::time_budget::OutOfTime;
use crate::render::unsafe_char::is_plain;

impl Writer<'_> {
    /// Starts a heading. Its id is known only at its end.
    pub(super) fn heading(&mut self, level: usize, class: &'static str) -> End {
        self.heading = Some(String::new());
        End::Heading(level, class, self.html.len())
    }

    pub(super) fn end_heading(&mut self, level: usize, class: &'static str, start: usize) {
        let name = self.heading.take().unwrap_or_default();
        let id = [HEADING, &self.headings.add(level, &name)].concat();
        let text = self.html.split_off(start);
        let shown = (level + 1).min(6);
        // This link is for pointers only. Otherwise users of keyboards and screen readers would have to pass one more
        // link per heading.
        self.html += &format!(
            "<h{shown} id=\"{id}\" dir=\"auto\"{class}>{text}\
             <a class=\"anchor\" tabindex=\"-1\" aria-hidden=\"true\" href=\"#{id}\"></a></h{shown}>"
        );
    }

    /// Writes the metadata at the start of a text.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn front_matter(&mut self, metadata: &str) -> Result<(), OutOfTime> {
        let yaml = metadata.replace("\r\n", "\n");
        self.code(&yaml, Language::from_name("yaml"))
    }

    /// Writes a code block. Without a language, the code is not highlighted.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn code(&mut self, code: &str, language: Option<Language>) -> Result<(), OutOfTime> {
        self.budget.check()?;
        let highlight = |language| self.highlighter.highlight(code, language, &self.budget);
        let Highlighting { spans, limit } =
            language.map_or(Ok(Highlighting::default()), highlight)?;
        self.has_unhighlighted_code |= limit.is_some();
        // A script labels the copy of such code as inexact.
        self.html += if is_plain(code) {
            "<pre tabindex=\"0\"><code>"
        } else {
            "<pre class=\"inexact\" tabindex=\"0\"><code>"
        };
        write_highlighted(code, 0, &spans, &mut self.html).expect("a string takes everything");
        self.html += "</code></pre>";
        self.budget.check()
    }

    /// Starts a table.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if it has too many columns.
    pub(super) fn table(&mut self, columns: Vec<Alignment>) -> Result<End, OutOfTime> {
        if columns.len() > MAX_COLUMNS {
            return Err(OutOfTime);
        }
        self.columns = columns;
        self.html += "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">";
        Ok(self.element("<table dir=\"auto\">", "</tbody></table></div>"))
    }

    pub(super) fn table_cell(&mut self) -> End {
        let (name, column) = self.cell;
        self.cell.1 += 1;
        // The parser cuts each row to the number of columns in the table's head.
        let class = match self.columns[column] {
            Alignment::None => "",
            Alignment::Left => " class=\"left\"",
            Alignment::Center => " class=\"center\"",
            Alignment::Right => " class=\"right\"",
        };
        self.html.extend(["<", name, class, ">"]);
        End::Raw(format!("</{name}>"))
    }

    /// Starts an alert and writes its title. The title has its own direction, so that the alert's direction depends
    /// only on its text.
    pub(super) fn alert(&mut self, kind: BlockQuoteKind) -> End {
        let title = match kind {
            BlockQuoteKind::Note => "Note",
            BlockQuoteKind::Tip => "Tip",
            BlockQuoteKind::Important => "Important",
            BlockQuoteKind::Warning => "Warning",
            BlockQuoteKind::Caution => "Caution",
        };
        let class = title.to_ascii_lowercase();
        self.html += &format!(
            "<div class=\"alert {class}\" role=\"note\" dir=\"auto\"><p class=\"title\" dir=\"ltr\">{title}</p>"
        );
        End::Markup("</div>")
    }
}
