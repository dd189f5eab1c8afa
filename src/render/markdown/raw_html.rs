//! Raw HTML: writes the elements that people use in documents, and all other raw HTML as text.
//!
//! The library ammonia cleans each tag by itself. Its cost is linear so, which it is not for nested elements. The
//! cleaned tag's name and its few attributes decide what is written.
//! Invariants: a tag of raw HTML is written as a name of [`NAMES`], without attributes but those below. An element ends
//! within the element of Markdown in which it starts, and no block is in a line of text. An element of raw HTML is at
//! most [`MAX_OPEN`] deep. After [`MAX_RAW_HTML`] bytes of tags, the rest is text.
//! Cost: the library parses each tag, of at most [`MAX_TAG`] bytes, as a document of its own.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::Builder;

use super::limits::MAX_DEPTH;
use super::writer::{End, Open, Writer};
use crate::render::time_budget::OutOfTime;

/// Maximum bytes of tags and comments in a document.
const MAX_RAW_HTML: usize = 64 * 1024;
const MAX_OPEN: usize = MAX_DEPTH / 2;
/// Maximum length of a tag in bytes.
const MAX_TAG: usize = 1024;

/// Where an element may be, and what it may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It may contain blocks. A paragraph is written as a division, because people put blocks in it.
    Around,
    Block,
    Inline,
    /// It is inline and has no end tag.
    Empty,
}

/// The elements that a document may use. Of some, only the content is written.
const NAMES: [(&str, Kind); 4] = [
    ("details div p center", Kind::Around),
    ("summary h1 h2 h3 h4 h5 h6", Kind::Block),
    (
        "a b strong i em del code kbd sub sup span font picture",
        Kind::Inline,
    ),
    ("img br source", Kind::Empty),
];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::empty();
    cleaner
        .tags(
            NAMES
                .iter()
                .flat_map(|(names, _)| names.split(' '))
                .collect(),
        )
        .generic_attributes(HashSet::from(["align"]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "title"])),
            ("details", HashSet::from(["open"])),
            ("img", HashSet::from(["alt", "src"])),
        ]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(None);
    cleaner
});

impl Writer<'_> {
    /// Writes the raw HTML of a block. If it starts with a tag that a document may not use, all of it is text.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up or the document exceeds a limit.
    pub(super) fn html_block(&mut self, html: &str) -> Result<(), OutOfTime> {
        if !html.starts_with("<!--") && kind(&name(html)).is_none() {
            self.text_element("<p class=\"html\" dir=\"auto\">", html, "</p>");
            return Ok(());
        }
        let mut rest = html;
        while let Some(start) = rest.find('<') {
            let (text, after) = rest.split_at(start);
            let (tag, after) = after.split_at(tag_length(after));
            self.html_text(text);
            self.tag(tag, true)?;
            self.check()?;
            rest = after;
        }
        self.html_text(rest);
        // Only an element around blocks goes on after this block.
        let goes_on = |open: &Open| kind(&open.raw) == Some(Kind::Around);
        let at = self.open.iter().rposition(goes_on);
        self.end_raw(at.map_or(0, |at| at + 1).max(self.first_raw()))
    }

    /// Writes text between tags, which may have entities.
    fn html_text(&mut self, text: &str) {
        if text.contains('&') {
            self.prose(&unescaped(&CLEANER.clean(text).to_string()));
        } else {
            self.prose(text);
        }
    }

    /// Writes a tag or a comment, or shows it as text.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn tag(&mut self, tag: &str, is_block: bool) -> Result<(), OutOfTime> {
        self.raw_html += tag.len();
        let is_markup = self.kept.is_none()
            && self.raw_html <= MAX_RAW_HTML
            && (tag.len() <= MAX_TAG || tag.starts_with("<!--"))
            && (tag.starts_with("<!--") && tag.ends_with("-->")
                || self.end_tag(tag)?
                || self.start_tag(tag, is_block)?);
        if !is_markup {
            self.text_element("<span class=\"html\">", tag, "</span>");
        }
        Ok(())
    }

    /// Ends the innermost element of this name and those in it, unless they are around the current element of Markdown.
    fn end_tag(&mut self, tag: &str) -> Result<bool, OutOfTime> {
        let (first, name) = (self.first_raw(), name(tag));
        let found = self.open[first..].iter().rposition(|open| open.raw == name);
        let Some(at) = found.filter(|_| tag.starts_with("</")) else {
            return Ok(false);
        };
        self.end_raw(first + at)?;
        Ok(true)
    }

    /// Starts an element. Returns false if it may not be here.
    fn start_tag(&mut self, tag: &str, is_block: bool) -> Result<bool, OutOfTime> {
        let name = name(tag);
        let around = self.open.last().map_or("", |open| &open.raw);
        let may_be_block = is_block && (around.is_empty() || kind(around) == Some(Kind::Around));
        let is_placed = match kind(&name) {
            Some(Kind::Inline | Kind::Empty) => true,
            Some(Kind::Around) => may_be_block,
            Some(Kind::Block) => may_be_block && (name != "summary" || around == "details"),
            None => false,
        };
        if !is_placed || tag.starts_with("</") || self.open.len() >= MAX_OPEN {
            return Ok(false);
        }
        let clean = CLEANER.clean(tag).to_string();
        // One element without content, or there was more than a tag.
        let (start, end) = clean.split_at(tag_length(&clean).min(clean.len()));
        let is_element = start[1.min(start.len())..].starts_with(&name);
        if !is_element || !(end.is_empty() || end == format!("</{name}>")) {
            return Ok(false);
        }
        if name == "p" && around == "p" {
            self.end_raw(self.open.len() - 1)?;
        }
        let value = |name| attribute(&clean, name).unwrap_or_default();
        let attributes = match value("align").as_str() {
            _ if name == "details" && attribute(&clean, "open").is_some() => " open",
            "center" => " class=\"center\"",
            _ if name == "center" => " class=\"center\"",
            "right" => " class=\"right\"",
            _ => "",
        };
        let end = match name.as_str() {
            "img" => {
                let image = self.image(&value("src"));
                self.prose(&value("alt"));
                image
            }
            "br" => self.element("<br>", ""),
            "source" | "picture" | "span" | "font" => End::Markup(""),
            "a" => {
                let destination = self.destination(&value("href"));
                self.link(destination, &value("title"))
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.heading(usize::from(name.as_bytes()[1] - b'0'), attributes)
            }
            written => {
                let shown = match written {
                    "b" => "strong",
                    "i" => "em",
                    "p" | "center" => "div",
                    other => other,
                };
                self.markup(&format!("<{shown}{attributes}>"));
                End::Raw(format!("</{shown}>"))
            }
        };
        if kind(&name) == Some(Kind::Empty) {
            self.end(end)?;
        } else {
            self.push(end, &name);
        }
        Ok(true)
    }

    /// Returns the position of the first element of raw HTML in the innermost element of Markdown.
    pub(super) fn first_raw(&self) -> usize {
        let around = self.open.iter().rposition(|open| open.raw.is_empty());
        around.map_or(0, |at| at + 1)
    }

    /// Ends the elements from this position on.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(super) fn end_raw(&mut self, from: usize) -> Result<(), OutOfTime> {
        for open in self.open.split_off(from).into_iter().rev() {
            self.end(open.end)?;
        }
        Ok(())
    }
}

fn kind(name: &str) -> Option<Kind> {
    let is_in = |(names, _): &&(&str, Kind)| names.split(' ').any(|known| known == name);
    NAMES.iter().find(is_in).map(|(_, kind)| *kind)
}

/// Returns the name in a tag, in lower case.
fn name(tag: &str) -> String {
    let name = tag.strip_prefix('<').unwrap_or(tag);
    let name = name.strip_prefix('/').unwrap_or(name);
    let end = name.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'));
    name[..end.unwrap_or(name.len())].to_ascii_lowercase()
}

/// Returns the length of the tag or the comment with which the text starts, or of a `<` that starts neither.
fn tag_length(html: &str) -> usize {
    if html.starts_with("<!--") {
        return html.find("-->").map_or(html.len(), |end| end + "-->".len());
    }
    let mut quote = None;
    for (at, byte) in html.bytes().enumerate().take(MAX_TAG) {
        match (byte, quote) {
            (b'>', None) => return at + 1,
            (b'<', None) if at > 0 => return 1,
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(end)) if byte == end => quote = None,
            _ => {}
        }
    }
    1
}

/// Returns the value of an attribute in a tag that was cleaned.
fn attribute(clean: &str, name: &str) -> Option<String> {
    let (_, value) = clean.split_once(&format!(" {name}=\""))?;
    value.split_once('"').map(|(value, _)| unescaped(value))
}

/// Reverses the escapes of the library.
fn unescaped(clean: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ];
    let replace = |text: String, (entity, shown)| text.replace(entity, shown);
    entities.into_iter().fold(clean.to_owned(), replace)
}
