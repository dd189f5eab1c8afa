//! Markdown: renders a text as an HTML document, by the rules of GitHub's variant of Markdown.
//!
//! In addition to CommonMark, it supports tables, task lists, strikethrough, footnotes, alerts, autolinks, front matter
//! and formulas. Raw HTML is shown as text, except a few elements. Images become links, so a reader's browser sends no
//! request to another host. Headings start at `<h2>`, because the page has an `<h1>`.
//! Invariants: a document is well nested, and at most [`MAX_DEPTH`](limits::MAX_DEPTH) deep. It consists of the
//! elements and attributes that [`writer`] and its extensions write. These modules escape all other text. Ids start
//! with `h-`, `n-` or `r-`; other ids of a page do not. Links lead to `http:`, `https:` or `mailto:` URLs, or to
//! headings of the document.
//! Cost: about 15 ns per byte without code and formulas. A text with dollars, or with `_` in a bare URL, is
//! parsed twice, and so is one with tags that may be used. The slowest 20 kB found
//! took 13 ms. Some texts would produce a hundred times as much HTML, so size, depth and columns are limited. A text
//! that exceeds a limit is shown as source.

mod autolink;
mod blocks;
mod code_block;
mod contents;
mod destination;
mod document;
mod events;
mod footnotes;
mod heading_ids;
mod html_buffer;
mod inline;
mod limits;
mod raw_html;
mod source;
mod writer;

pub(crate) use self::document::Document;
use self::raw_html::BalancedTags;
use self::source::MarkdownSource;
use self::writer::Writer;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Renders a text as an HTML document.
///
/// # Errors
/// Returns [`OutOfTime`] if the budget is used up or the text exceeds a limit.
pub(super) fn markdown(text: &str, budget: TimeBudget<'_>) -> Result<Document, OutOfTime> {
    if text.len() > limits::MAX_BYTES {
        return Err(OutOfTime);
    }
    let source = MarkdownSource::new(text, budget)?;
    let tags = BalancedTags::of(&source, budget)?;
    let mut writer = Writer::new(&source, tags, budget);
    for (event, range) in source.events() {
        writer.event(event, range)?;
    }
    Ok(writer.finish())
}

#[cfg(test)]
mod tests;
