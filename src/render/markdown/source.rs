//! The source: a text as the parser is given it.
//!
//! What it must not know: what becomes of the parser's events.
//! Invariants: ranges of events are of [`Source::body`], in which dollars that stand around no formula are escaped;
//! metadata comes before all else, and from nowhere else.
//! Cost: the parser's, twice for a text with dollars.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use super::dollars;
use super::front_matter;
use crate::render::time_budget::{OutOfTime, TimeBudget};

pub(super) const FLAVOUR: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM);

/// A text, and the metadata before it.
pub(super) struct Source<'a> {
    metadata: Option<&'a str>,
    body: Cow<'a, str>,
    len: usize,
}

impl<'a> Source<'a> {
    /// A text, unless reading it uses up the time.
    pub(super) fn of(text: &'a str, budget: TimeBudget<'_>) -> Result<Self, OutOfTime> {
        let marked = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (metadata, body) = front_matter::split(marked);
        Ok(Self {
            metadata,
            body: dollars::escaped(body, FLAVOUR, budget)?,
            len: text.len(),
        })
    }

    /// What it says, one after the other, and where in its body that stands.
    pub(super) fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        let metadata = self.metadata.into_iter().flat_map(metadata);
        let flavour = FLAVOUR.union(Options::ENABLE_MATH);
        let body = Parser::new_ext(&self.body, flavour).into_offset_iter();
        metadata
            .map(|event| (event, 0..0))
            .chain(TextMergeWithOffset::new(body))
            .map(|(event, range)| (without_backticks(event), range))
    }

    /// The text without the metadata.
    pub(super) fn body(&self) -> &str {
        &self.body
    }

    /// The bytes of all of the text.
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// A formula may be written with backticks within its dollars, lest another reader takes it for Markdown.
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

/// Metadata as the parser tells it.
fn metadata(metadata: &str) -> [Event<'_>; 3] {
    let kind = MetadataBlockKind::YamlStyle;
    [
        Event::Start(Tag::MetadataBlock(kind)),
        Event::Text(metadata.replace("\r\n", "\n").into()),
        Event::End(TagEnd::MetadataBlock(kind)),
    ]
}
