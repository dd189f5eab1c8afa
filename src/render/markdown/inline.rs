//! Inline elements: writes text, links, images, formulas and footnote references.
//!
//! Invariants: a link or an image contains no link. An image is shown as its text. A link leads only to a
//! [`Destination`], and the browser sends no referrer.

use super::destination::Destination;
use super::writer::{End, Writer};
use crate::render::autolink::{REL, autolinks};
use crate::render::math::{DisplayMode, math};
use crate::render::time_budget::OutOfTime;

impl Writer<'_> {
    /// Writes text. Its autolinks become links.
    pub(super) fn prose(&mut self, text: &str) {
        if !self.is_written(text) {
            return;
        }
        let mut written = 0;
        if !self.is_in_link {
            for (range, scheme) in autolinks(text) {
                let shown = &text[range.clone()];
                let Some(destination) = Destination::parse(&[scheme, shown].concat()) else {
                    continue;
                };
                self.text(&text[written..range.start]);
                written = range.end;
                self.anchor("<a", &destination);
                self.around(">", shown, "</a>");
            }
        }
        self.text(&text[written..]);
    }

    /// Returns whether text is written now. Otherwise it is kept for later. It becomes a part of the heading's name.
    fn is_written(&mut self, text: &str) -> bool {
        let names = self.kept.as_mut().or(self.heading.as_mut());
        names.into_iter().for_each(|name| name.push_str(text));
        self.kept.is_none()
    }

    /// Writes text within its own element.
    pub(super) fn text_element(&mut self, start: &str, text: &str, end: &str) {
        if self.is_written(text) {
            self.around(start, text, end);
        }
    }

    /// Starts an element that contains other inline elements.
    pub(super) fn element(&mut self, start: &str, end: &'static str) -> End {
        self.markup(start);
        End::Markup(end)
    }

    pub(super) fn line_break(&mut self, markup: &str) {
        if self.is_written(" ") {
            self.html += markup;
        }
    }

    /// Starts a link. No link is written without a destination, or within another link or an image.
    pub(super) fn link(&mut self, destination: Option<Destination>, title: &str) -> End {
        let is_allowed = !self.is_in_link && self.kept.is_none();
        let Some(destination) = destination.filter(|_| is_allowed) else {
            return End::Markup("");
        };
        self.is_in_link = true;
        self.anchor("<a", &destination);
        if !title.is_empty() {
            self.attribute(" title=\"", title);
        }
        self.html += ">";
        End::Link
    }

    /// Writes the start of a link's tag, without its `>`.
    fn anchor(&mut self, start: &str, destination: &Destination) {
        self.html += start;
        self.attribute(" href=\"", &destination.href);
        if destination.is_external {
            self.html += REL;
        }
    }

    /// Starts an image. Its text is kept until its end.
    pub(super) fn image(&mut self, written: &str) -> End {
        if self.kept.is_some() {
            return End::Markup("");
        }
        let destination = self.destination(written);
        self.keep(End::Image(destination))
    }

    /// Writes the image as a link to it. Where a link is not possible, the image's text is written.
    pub(super) fn end_image(&mut self, destination: Option<Destination>) {
        let text = self.kept.take().unwrap_or_default();
        let text = if text.trim().is_empty() {
            "image"
        } else {
            &text
        };
        match destination.filter(|found| found.is_external && !self.is_in_link) {
            Some(destination) => {
                self.anchor("<a class=\"image\"", &destination);
                self.around(">", text, "</a>");
            }
            None => self.around("<span class=\"image\">", text, "</span>"),
        }
    }

    /// Writes a footnote reference. The footnote links back to its first reference.
    pub(super) fn footnote_reference(&mut self, label: &str) {
        if self.kept.is_some() {
            return;
        }
        let number = self.footnotes.number(label);
        self.html += &if self.is_in_link {
            format!("<sup>{number}</sup>")
        } else if self.footnotes.is_first_reference(number) {
            format!("<sup><a href=\"#n-{number}\" id=\"r-{number}\">{number}</a></sup>")
        } else {
            format!("<sup><a href=\"#n-{number}\">{number}</a></sup>")
        };
    }

    /// Writes a formula. If the formula cannot be shown, its source is written.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn formula(&mut self, tex: &str, mode: DisplayMode) -> Result<(), OutOfTime> {
        self.budget.check()?;
        // GitHub's notation has backticks within the dollars, which keep other parsers from reading Markdown there.
        let quoted = tex.strip_prefix('`').and_then(|tex| tex.strip_suffix('`'));
        let tex = quoted.unwrap_or(tex);
        if !self.is_written(tex) {
            return Ok(());
        }
        let dollars = match mode {
            DisplayMode::Inline => "$",
            DisplayMode::Block => "$$",
        };
        match math(tex, mode) {
            Some(mathml) if dollars == "$" => self.html += &mathml,
            // A wide formula scrolls like a table, so it can get the focus. Within a link it cannot, because the link
            // gets the focus. The element is a span because it may be in a paragraph.
            Some(mathml) => {
                self.html += if self.is_in_link {
                    "<span class=\"math\">"
                } else {
                    "<span class=\"math\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\">"
                };
                self.html.extend([&mathml, "</span>"]);
            }
            None => {
                let source = [dollars, tex, dollars].concat();
                self.around("<code class=\"tex\">", &source, "</code>");
            }
        }
        Ok(())
    }
}
