//! A Markdown source: the text in the form that the parser gets.
//!
//! Invariants: the ranges of events refer to [`MarkdownSource::body`]. In it, characters that would be read as markup
//! by mistake are escaped. The events of the front matter come first.
//! Cost: the cost of the parser, and twice that for a text with dollars or with markup in a bare URL.

mod dollars;
mod escapes;
mod front_matter;
mod urls;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use crate::render::time_budget::{OutOfTime, TimeBudget};

/// The parser's options that are always enabled. Formulas are not among them.
const FLAVOUR: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM);

/// A text that was split into its front matter and its body.
pub(in crate::render::markdown) struct MarkdownSource<'a> {
    front_matter: Option<&'a str>,
    body: Cow<'a, str>,
    len: usize,
}

impl<'a> MarkdownSource<'a> {
    /// Prepares a text for the parser.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(in crate::render::markdown) fn new(
        text: &'a str,
        budget: TimeBudget<'_>,
    ) -> Result<Self, OutOfTime> {
        let without_bom = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (front_matter, body) = front_matter::split(without_bom);
        Ok(Self {
            front_matter,
            body: escapes::escaped(body, FLAVOUR, budget)?,
            len: text.len(),
        })
    }

    /// Returns the parser's events. Each has its byte range in the body.
    pub(in crate::render::markdown) fn events(
        &self,
    ) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        let front_matter = self.front_matter.into_iter().flat_map(front_matter_events);
        let flavour = FLAVOUR.union(Options::ENABLE_MATH);
        let body = Parser::new_ext(&self.body, flavour).into_offset_iter();
        front_matter
            .map(|event| (event, 0..0))
            .chain(TextMergeWithOffset::new(body))
            .map(|(event, range)| (without_backticks(event), range))
    }

    /// Returns the text without its front matter.
    pub(in crate::render::markdown) fn body(&self) -> &str {
        &self.body
    }

    /// Returns the bytes of the whole text.
    pub(in crate::render::markdown) fn len(&self) -> usize {
        self.len
    }
}

/// Removes the backticks from GitHub's formula notation ``$`…`$``. The backticks prevent other parsers from reading the
/// formula as Markdown.
fn without_backticks(event: Event<'_>) -> Event<'_> {
    match event {
        Event::InlineMath(tex) => match tex.strip_prefix('`').and_then(|tex| tex.strip_suffix('`'))
        {
            Some(inner) => Event::InlineMath(inner.to_owned().into()),
            None => Event::InlineMath(tex),
        },
        other => other,
    }
}

/// Returns the events that the parser would send for front matter.
fn front_matter_events(front_matter: &str) -> [Event<'_>; 3] {
    let kind = MetadataBlockKind::YamlStyle;
    [
        Event::Start(Tag::MetadataBlock(kind)),
        Event::Text(front_matter.replace("\r\n", "\n").into()),
        Event::End(TagEnd::MetadataBlock(kind)),
    ]
}
