//! Markdown: renders a text as an HTML document, by the rules of GitHub's variant of Markdown.
//!
//! In addition to CommonMark, it supports tables, task lists, strikethrough, footnotes, alerts, autolinks, front
//! matter, formulas, and the [raw HTML](raw_html) that people write. Images become links, so a reader's browser sends
//! no request to another host. Headings start at `<h2>`, because the page has an `<h1>`.
//! Invariants: a document is well nested, and at most [`MAX_DEPTH`](limits::MAX_DEPTH) deep. It consists of literals of
//! the program and of escaped text. Ids start with `h-`, `n-` or `r-`; other ids of a page do not. Links lead to
//! `http:`, `https:` or `mailto:` URLs, to headings of the document, or to other files of the paste.
//! Cost: about 15 ns per byte without code, formulas and raw HTML. A text with dollars, or with `_`
//! in a bare URL, is parsed up to [`MAX_ROUNDS`](escapes::MAX_ROUNDS) times more. Some texts would produce a hundred
//! times as much HTML, so size, depth and columns are limited. A text that exceeds a limit is shown as source.

mod blocks;
mod destination;
mod document;
mod escapes;
mod footnotes;
mod front_matter;
mod headings;
mod inline;
mod limits;
mod raw_html;
mod writer;

pub(crate) use self::document::Document;
use self::writer::Writer;
use crate::render::render_key::Link;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Renders a text as an HTML document. Relative links lead where `link` says.
///
/// # Errors
/// Returns [`OutOfTime`] if the budget is used up or the text exceeds a limit.
pub(super) fn markdown(
    text: &str,
    link: Option<Link<'_>>,
    budget: TimeBudget<'_>,
) -> Result<Document, OutOfTime> {
    if text.len() > limits::MAX_BYTES {
        return Err(OutOfTime);
    }
    let without_bom = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front_matter, body) = front_matter::split(without_bom);
    let body = escapes::escaped(body, budget)?;
    let mut writer = Writer::new(&body, link, budget);
    if let Some(metadata) = front_matter {
        writer.front_matter(metadata)?;
    }
    for (event, _) in escapes::parser(&body) {
        writer.event(event)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests;
