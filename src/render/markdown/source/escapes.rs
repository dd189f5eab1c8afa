//! Escapes: marks characters of the prose that the parser would otherwise read as markup by mistake.
//!
//! Invariants: dollars that enclose no formula are escaped, and so is markup in bare URLs. Nothing else is changed.
//! Cost: one pass of the parser and one over the text. A text without dollars and without markup in URLs costs a
//! search.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::dollars::{Dollars, retain_outside};
use super::urls::Urls;
use crate::render::markdown::limits::EVENTS_PER_CHECK;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Returns the text with its escapes. The parser's options must not enable formulas.
///
/// # Errors
/// Returns [`OutOfTime`] if the budget is used up.
pub(super) fn escaped<'a>(
    text: &'a str,
    flavour: Options,
    budget: TimeBudget<'_>,
) -> Result<Cow<'a, str>, OutOfTime> {
    if !text.contains('$') && !Urls::are_in(text) {
        return Ok(Cow::Borrowed(text));
    }
    let mut prose = Prose {
        dollars: Dollars::new(text),
        urls: Urls::new(text),
        verbatim: 0,
        in_link: 0,
    };
    let events = Parser::new_ext(text, flavour).into_offset_iter();
    for (number, (event, range)) in events.enumerate() {
        if number.is_multiple_of(EVENTS_PER_CHECK) {
            budget.check()?;
        }
        prose.read(event, range);
    }
    Ok(prose.escaped(text))
}

/// The prose that precedes the current event.
struct Prose<'a> {
    dollars: Dollars<'a>,
    urls: Urls<'a>,
    /// The number of open tags, counted from the outermost tag with verbatim text.
    verbatim: usize,
    /// The number of open tags, counted from the outermost link or image.
    in_link: usize,
}

impl Prose<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Text(_) if self.verbatim == 0 => self.text(range),
            Event::Start(tag) => {
                let is_link = matches!(tag, Tag::Link { .. } | Tag::Image { .. });
                self.verbatim += usize::from(self.verbatim > 0 || is_verbatim(&tag));
                self.in_link += usize::from(self.in_link > 0 || is_link);
                match tag {
                    Tag::Emphasis | Tag::Strong | Tag::Strikethrough => return,
                    Tag::Image { .. } => {}
                    Tag::Link { .. } => self.dollars.start_group(),
                    Tag::TableCell => {
                        self.urls.start_cell(&range);
                        self.dollars.start_block();
                    }
                    _ => self.dollars.start_block(),
                }
                self.urls.cut(range.start);
            }
            Event::End(tag) => {
                self.verbatim = self.verbatim.saturating_sub(1);
                self.in_link = self.in_link.saturating_sub(1);
                if tag == TagEnd::Link {
                    self.dollars.end_group();
                }
            }
            // Code in a URL belongs to it.
            Event::Code(_) if range.end <= self.urls.end() => {}
            _ => {
                self.urls.cut(range.start);
                self.dollars.skip(range);
            }
        }
    }

    /// Reads the text between the URLs, and the URLs.
    fn text(&mut self, range: Range<usize>) {
        let mut at = range.start.max(self.urls.end());
        while self.in_link == 0
            && let Some(url) = self.urls.next_in(at..range.end)
        {
            self.dollars.read_prose(at..url.start);
            at = url.end;
            self.dollars.skip(url);
        }
        if at < range.end {
            self.dollars.read_prose(at..range.end);
        }
    }

    fn escaped(self, text: &str) -> Cow<'_, str> {
        let (mut escaped, formulas) = self.dollars.finish();
        let mut markup = self.urls.markup();
        retain_outside(&mut markup, &formulas);
        escaped.append(&mut markup);
        if escaped.is_empty() {
            return Cow::Borrowed(text);
        }
        escaped.sort_unstable();
        let mut out = String::with_capacity(text.len() + escaped.len());
        let mut written = 0;
        for at in escaped {
            out.push_str(&text[written..at]);
            // A backslash does not keep a backtick from ending code.
            let (escape, shown) = match text.as_bytes()[at] {
                b'`' => ("&#96;", 1),
                _ => ("\\", 0),
            };
            out.push_str(escape);
            written = at + shown;
        }
        out.push_str(&text[written..]);
        Cow::Owned(out)
    }
}

/// Returns whether text in this tag must not be escaped. Such text is code, or a label that must equal its definition.
fn is_verbatim(tag: &Tag<'_>) -> bool {
    match tag {
        Tag::CodeBlock(_) => true,
        Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => matches!(
            link_type,
            LinkType::Autolink | LinkType::Email | LinkType::Collapsed | LinkType::Shortcut
        ),
        _ => false,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::FLAVOUR;
    use super::*;

    pub(in super::super) fn escaped(text: &str) -> String {
        let escaped = super::escaped(text, FLAVOUR, TimeBudget::until(&|| false));
        escaped.expect("there is time").into_owned()
    }

    #[test]
    fn the_search_for_markup_ends_when_the_time_budget_is_used_up() {
        let escaped = super::escaped("a $b", FLAVOUR, TimeBudget::until(&|| true));
        assert_eq!(escaped, Err(OutOfTime));
    }
}
