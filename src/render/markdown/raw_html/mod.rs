//! Raw HTML: writes the few elements that a document may use, and all other raw HTML as text.
//!
//! A document may use `<details>` with a `<summary>`, `<kbd>`, `<sub>`, `<sup>` and `<br>`, without attributes but
//! `open`.
//! Invariants: a tag without its partner is text, so a document closes the tags that it opens, and no others. Details
//! are around blocks only.
//! Cost: one pass over the raw HTML, in addition to that of [`balanced_tags`].

mod balanced_tags;
mod tag;

pub(super) use self::balanced_tags::BalancedTags;
use self::balanced_tags::{inline_tag, starts_with_tag};
use self::tag::{Name, Tag, Token, tokens};
use super::writer::{Direction, OpenElement, Writer};

impl Writer<'_> {
    /// Writes raw HTML in a line of text.
    pub(super) fn inline_html(&mut self, html: &str) {
        let tag = inline_tag(html).filter(|_| self.tags.next_has_partner());
        match tag {
            Some(tag) if self.image.is_none() => self.html_tag(tag),
            _ if Tag::parse(html).is_some_and(|tag| tag.name == Name::Br) => {
                self.line_break("<br>\n")
            }
            _ => self.text_element("<span class=\"html\">", html, "</span>"),
        }
    }

    /// Writes the raw HTML of a block.
    pub(super) fn html_block(&mut self, html: &str, direction: Direction) {
        let tokens: Vec<Token<'_>> = if starts_with_tag(html) {
            tokens(html).collect()
        } else {
            vec![Token::Text(html)]
        };
        let mut around = Around::Nothing;
        for token in tokens {
            match token {
                Token::Text(text) => self.html_text(text, &mut around, direction),
                Token::Tag(tag, _) if tag.name == Name::Br => self.html.markup(tag.markup.0),
                Token::Tag(_, written) if !self.tags.next_has_partner() => {
                    self.html_text(written, &mut around, direction);
                }
                Token::Tag(tag, _) if tag.name.is_inline() => {
                    self.start_paragraph(&mut around, "<p", direction);
                    self.html_tag(tag);
                }
                Token::Tag(tag, _) => {
                    self.end_paragraph(around);
                    self.html_tag(tag);
                    let is_summary = tag.name == Name::Summary && !tag.is_end;
                    around = if is_summary {
                        Around::Summary
                    } else {
                        Around::Nothing
                    };
                }
            }
        }
        self.end_paragraph(around);
    }

    fn html_tag(&mut self, tag: Tag) {
        let (start, end) = tag.markup;
        if tag.is_end {
            self.open.pop();
            self.html.markup(end);
        } else {
            self.html.markup(start);
            self.open.push(match tag.name {
                Name::Details => OpenElement::Details,
                _ => OpenElement::Markup(end),
            });
        }
    }

    /// Writes text of a block. White space between tags is left out.
    fn html_text(&mut self, text: &str, around: &mut Around, direction: Direction) {
        if *around == Around::Nothing && text.trim().is_empty() {
            return;
        }
        let has_markup = text.contains('<');
        let start = if has_markup {
            "<p class=\"html\""
        } else {
            "<p"
        };
        self.start_paragraph(around, start, direction);
        self.html.text(text);
    }

    fn start_paragraph(&mut self, around: &mut Around, start: &'static str, direction: Direction) {
        if *around == Around::Nothing {
            *around = Around::Paragraph;
            self.html.markup(start);
            self.html.markup(direction);
            self.html.markup(">");
        }
    }

    fn end_paragraph(&mut self, around: Around) {
        if around == Around::Paragraph {
            self.html.markup("</p>\n");
        }
    }
}

/// The element around text of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Paragraph,
    Summary,
}
