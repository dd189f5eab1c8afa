//! Markdown: a text as the document that it describes, in GitHub's flavour.
//!
//! Beyond CommonMark: tables, task lists, strikethrough, footnotes, alerts, bare addresses as links, metadata before
//! the text, and formulas. Raw HTML is shown as text. Images are links to them: a reader's browser asks no other
//! host for anything. Headings begin at `<h2>`, for the page has its `<h1>`.
//! What it must not know: the page around it, HTTP, what a highlighter does.
//! Invariants: whatever the text holds, the document is well nested, at most [`DEEPEST`] deep, and made of the elements
//! and attributes that [`writer`] and [`inline`] write; all else of the text is escaped there. Ids begin with `h-`, `n-`
//! or `r-`, which no id of a page does. Addresses lead to `http:`, `https:`, `mailto:` or into the document.
//! Cost: about 15 ns a byte, code and formulas apart, the parser's part twice in a text with dollars; 13 ms for the
//! worst 20 kB found. Texts of some kinds make a hundred times as much HTML, so size, depth and columns are bounded, and
//! whoever goes over one is shown as source.

mod address;
mod anchors;
mod bare_links;
mod code;
mod dollars;
mod front_matter;
mod html;
mod inline;
mod notes;
mod source;
mod writer;

use self::source::Source;
use self::writer::Writer;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// What came of a text.
#[derive(Debug)]
pub(crate) struct Document {
    /// Of the allowed elements and attributes.
    html: String,
    /// Whether the colours of some code end before it does.
    lacks_colours: bool,
}

/// A text of more bytes is not read: the parser cannot be interrupted within a paragraph, and one of twice this size that
/// consists of brackets took it 140 ms.
const MOST_BYTES: usize = 256 * 1024;
/// More elements within each other are nobody's.
const DEEPEST: usize = 100;
/// More columns of a table are nobody's, and short rows are filled up.
const MOST_COLUMNS: usize = 100;
/// A document may have this many times the bytes of its text, and [`SPARE_OUTPUT`] more.
const MOST_GROWTH: usize = 12;
const SPARE_OUTPUT: usize = 64 * 1024;

/// Asking whether there is time costs more than a usual event of the parser.
const EVENTS_A_CHECK: usize = 32;

/// The document that a text describes, unless that takes more than its allowance or goes over a bound.
pub(super) fn markdown(text: &str, budget: TimeBudget<'_>) -> Result<Document, OutOfTime> {
    if text.len() > MOST_BYTES {
        return Err(OutOfTime);
    }
    let source = Source::of(text, budget)?;
    let mut writer = Writer::new(&source, budget);
    for (event, range) in source.events() {
        writer.event(event, range)?;
    }
    Ok(writer.finish())
}

impl Document {
    /// As HTML.
    pub(crate) fn html(&self) -> &str {
        &self.html
    }

    /// Whether the colours of some code end before it does, as it goes over a bound.
    pub(super) fn lacks_colours(&self) -> bool {
        self.lacks_colours
    }

    /// Bytes of memory that it takes.
    pub(super) fn size(&self) -> usize {
        self.html.capacity()
    }
}

#[cfg(test)]
mod tests;
