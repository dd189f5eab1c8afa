//! Inline elements: writes text, links, images, formulas and footnote references.
//!
//! Invariants: a link or an image contains no link. An image is shown as its text. A link leads only to a
//! [`Destination`], and the browser sends no referrer.

use super::autolink::Autolink;
use super::destination::Destination;
use super::writer::{OpenElement, Writer};
use crate::render::math::{DisplayMode, math};
use crate::render::time_budget::OutOfTime;

impl Writer<'_> {
    /// Writes text. Its autolinks become links.
    pub(super) fn prose(&mut self, text: &str) {
        if let Some(image) = &mut self.image {
            image.push_str(text);
            return;
        }
        self.name_heading(text);
        let mut rest = text;
        while !self.is_in_link
            && let Some(found) = Autolink::first_in(rest)
        {
            let destination = found.destination(rest);
            let range = found.range;
            self.html.text(&rest[..range.start]);
            let link = self.link(destination, "");
            self.html.text(&rest[range.clone()]);
            if let OpenElement::Link = link {
                self.end_link();
            }
            rest = &rest[range.end..];
        }
        self.html.text(rest);
    }

    /// Writes text within its own element.
    pub(super) fn text_element(&mut self, start: &'static str, text: &str, end: &'static str) {
        if let Some(image) = &mut self.image {
            image.push_str(text);
            return;
        }
        self.name_heading(text);
        self.html.markup(start);
        self.html.text(text);
        self.html.markup(end);
    }

    /// Starts an element that contains other inline elements.
    pub(super) fn inline_element(&mut self, start: &'static str, end: &'static str) -> OpenElement {
        if self.image.is_some() {
            return OpenElement::Markup("");
        }
        self.html.markup(start);
        OpenElement::Markup(end)
    }

    pub(super) fn line_break(&mut self, markup: &'static str) {
        match &mut self.image {
            Some(image) => image.push(' '),
            None => {
                self.name_heading(" ");
                self.html.markup(markup);
            }
        }
    }

    /// Starts a link. No link is written without a destination, or within another link or an image.
    pub(super) fn link(&mut self, destination: Option<Destination>, title: &str) -> OpenElement {
        let Some(destination) = destination.filter(|_| !self.is_in_link && self.image.is_none())
        else {
            return OpenElement::Markup("");
        };
        self.is_in_link = true;
        self.html.markup("<a");
        self.write_href(&destination);
        if !title.is_empty() {
            self.html.attribute(" title=\"", title);
        }
        self.html.markup(">");
        OpenElement::Link
    }

    pub(super) fn end_link(&mut self) {
        self.is_in_link = false;
        self.html.markup("</a>");
    }

    fn write_href(&mut self, destination: &Destination) {
        self.html.attribute(" href=\"", &destination.to_string());
        if let Destination::External(_) = destination {
            self.html.markup(" rel=\"nofollow noopener noreferrer\"");
        }
    }

    /// Starts an image. Its text is collected until its end.
    pub(super) fn image(&mut self, written: &str) -> OpenElement {
        if self.image.is_some() {
            return OpenElement::Markup("");
        }
        self.image = Some(String::new());
        OpenElement::Image(Destination::parse(written))
    }

    /// Writes the image as a link to it. Where a link is not possible, the image's text is written.
    pub(super) fn end_image(&mut self, destination: Option<Destination>) {
        let text = self.image.take().expect("an image is open");
        let destination = destination.filter(|destination| {
            matches!(destination, Destination::External(_)) && !self.is_in_link
        });
        let end = match &destination {
            Some(destination) => {
                self.html.markup("<a class=\"image\"");
                self.write_href(destination);
                "</a>"
            }
            None => {
                self.html.markup("<span class=\"image\"");
                "</span>"
            }
        };
        self.html.markup(">");
        self.html.text(if text.trim().is_empty() {
            "image"
        } else {
            &text
        });
        self.html.markup(end);
    }

    /// Writes a footnote reference. The footnote links back to its first reference.
    pub(super) fn footnote_reference(&mut self, label: &str) {
        if self.image.is_some() {
            return;
        }
        let number = self.footnotes.number(label);
        self.html.markup("<sup>");
        if self.is_in_link {
            self.html.number(number);
        } else {
            self.html.with_number("<a href=\"#n-", number, "\"");
            if self.footnotes.is_first_reference(number) {
                self.html.with_number(" id=\"r-", number, "\"");
            }
            self.html.with_number(">", number, "</a>");
        }
        self.html.markup("</sup>");
    }

    /// Writes a formula. If the formula cannot be shown, its source is written.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn formula(&mut self, tex: &str, mode: DisplayMode) -> Result<(), OutOfTime> {
        self.budget.check()?;
        if let Some(image) = &mut self.image {
            image.push_str(tex);
            return Ok(());
        }
        self.name_heading(tex);
        match (math(tex, mode), mode) {
            (Some(mathml), DisplayMode::Inline) => self.html.fragment(&mathml),
            // A wide formula scrolls like a table, so it can get the focus. Within a link it cannot, because the link
            // gets the focus. The element is a span because it may be in a paragraph.
            (Some(mathml), DisplayMode::Block) => {
                self.html.markup(if self.is_in_link {
                    "<span class=\"math\">"
                } else {
                    "<span class=\"math\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\">"
                });
                self.html.fragment(&mathml);
                self.html.markup("</span>");
            }
            (None, _) => {
                let dollars = match mode {
                    DisplayMode::Inline => "$",
                    DisplayMode::Block => "$$",
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
}
