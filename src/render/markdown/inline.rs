//! What stands in a line: text, links, images, references to notes.
//!
//! What it must not know: which block it stands in, but whether that is a heading.
//! Invariants: a link or an image holds no link; an image is text. A link leads where [`Address`] allows, and tells
//! whoever it leads to nothing.

use super::address::Address;
use super::bare_links::BareLink;
use super::writer::{Open, Writer};

impl Writer<'_> {
    /// Text, and the addresses in it as links.
    pub(super) fn prose(&mut self, text: &str) {
        if let Some(image) = &mut self.image {
            image.push_str(text);
            return;
        }
        self.name_heading(text);
        let mut rest = text;
        while !self.is_in_link
            && let Some(found) = BareLink::first_in(rest)
        {
            let address = found.address(rest);
            let range = found.range;
            self.html.text(&rest[..range.start]);
            let link = self.link(address, "");
            self.html.text(&rest[range.clone()]);
            if let Open::Link = link {
                self.end_link();
            }
            rest = &rest[range.end..];
        }
        self.html.text(rest);
    }

    /// A piece of text in an element of its own.
    pub(super) fn piece(&mut self, start: &'static str, text: &str, end: &'static str) {
        if let Some(image) = &mut self.image {
            image.push_str(text);
            return;
        }
        self.name_heading(text);
        self.html.markup(start);
        self.html.text(text);
        self.html.markup(end);
    }

    /// An element around other pieces.
    pub(super) fn span(&mut self, start: &'static str, end: &'static str) -> Open {
        if self.image.is_some() {
            return Open::Element("");
        }
        self.html.markup(start);
        Open::Element(end)
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

    /// A link, if it leads somewhere and is not within another or an image.
    pub(super) fn link(&mut self, address: Option<Address>, title: &str) -> Open {
        let Some(address) = address.filter(|_| !self.is_in_link && self.image.is_none()) else {
            return Open::Element("");
        };
        self.is_in_link = true;
        self.html.markup("<a");
        self.write_address(&address);
        if !title.is_empty() {
            self.html.markup(" title=\"");
            self.html.value(title);
            self.html.markup("\"");
        }
        self.html.markup(">");
        Open::Link
    }

    pub(super) fn end_link(&mut self) {
        self.is_in_link = false;
        self.html.markup("</a>");
    }

    fn write_address(&mut self, address: &Address) {
        self.html.markup(" href=\"");
        self.html.value(&address.to_string());
        self.html.markup("\"");
        if let Address::Elsewhere(_) = address {
            self.html.markup(" rel=\"nofollow noopener noreferrer\"");
        }
    }

    /// An image, whose text is gathered until it ends.
    pub(super) fn image(&mut self, written: &str) -> Open {
        if self.image.is_some() {
            return Open::Element("");
        }
        self.image = Some(String::new());
        Open::Image(Address::parse(written))
    }

    /// The image as a link to it, or as its text alone where there is no link to be.
    pub(super) fn end_image(&mut self, address: Option<Address>) {
        let text = self.image.take().unwrap_or_default();
        let address =
            address.filter(|address| matches!(address, Address::Elsewhere(_)) && !self.is_in_link);
        let end = match &address {
            Some(address) => {
                self.html.markup("<a class=\"image\"");
                self.write_address(address);
                "</a>"
            }
            None => {
                self.html.markup("<span class=\"image\"");
                "</span>"
            }
        };
        self.html.markup(">");
        let text = if text.trim().is_empty() {
            "image"
        } else {
            &text
        };
        self.html.text(text);
        self.html.markup(end);
    }

    /// A reference to a footnote; only the first can be led back to.
    pub(super) fn reference(&mut self, label: &str) {
        if self.image.is_some() {
            return;
        }
        let number = self.notes.number(label);
        self.html.markup("<sup>");
        if self.is_in_link {
            self.html.number(number);
        } else {
            self.html.markup("<a href=\"#n-");
            self.html.number(number);
            if self.notes.is_first_reference(number) {
                self.html.markup("\" id=\"r-");
                self.html.number(number);
            }
            self.html.markup("\">");
            self.html.number(number);
            self.html.markup("</a>");
        }
        self.html.markup("</sup>");
    }

    /// Gives the heading that is open, if one is, more of its name.
    pub(super) fn name_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
    }
}
