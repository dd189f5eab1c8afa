//! The page that shows a paste.
//!
//! Invariants: a title is in a `<bdi>`, so that its writing direction does not affect the text around it. Its unsafe
//! characters are shown in a visible form. The page has a copy button only if the text on the page equals the paste's
//! text. The compressed form of a page always decompresses to exactly that page.
//! Cost: a page takes 3 µs, and a copy of the fragment or of the compressed page.

mod availability;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use askama::Template;

pub use self::availability::Availability;
use crate::date::Utc;
use crate::page::{humanize, template};
use crate::paste::{LineRange, Paste};
use crate::render::{
    Body, CompressedTemplate, ContentCoding, Rendered, View, highlight_lines, visible, write_text,
};

/// A paste and its state for one reader at the time of the request.
#[derive(Clone, Copy)]
pub struct PastePage<'a> {
    /// The paste's id.
    pub id: &'a str,
    /// The paste's absolute URL.
    pub url: &'a str,
    /// The paste.
    pub paste: &'a Paste,
    /// The rendered paste. A reader may ask for another language than the paste's own.
    pub rendered: &'a Rendered,
    /// Time since the paste was saved.
    pub age: Duration,
    /// Time until the paste expires. `None` means that it never expires.
    pub expires_in: Option<Duration>,
    /// When the paste expires, in milliseconds since 1970. `None` means that it never expires.
    pub expires_at: Option<u64>,
    /// The lines that the reader asked to highlight.
    pub highlighted: Option<LineRange>,
    /// Whether the reader's browser has the paste's token, so that the page does not ask for it.
    pub may_delete: bool,
    /// What the paste's link will show from now on.
    pub availability: Availability,
}

/// Omits the id, which must not be logged, because any client with the id can read the paste.
impl fmt::Debug for PastePage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PastePage(secret)")
    }
}

#[derive(Template)]
#[template(path = "paste.html", config = "src/page/askama.toml")]
struct PasteTemplate<'a> {
    page: &'a PastePage<'a>,
    title: Cow<'a, str>,
    preview_title: Cow<'a, str>,
    size: String,
    lines: Option<String>,
    variable: &'a VariableParts,
    availability_note: Option<String>,
    width_class: &'static str,
    out_of_sight: Option<LineRange>,
}

impl PasteTemplate<'_> {
    fn highlighted<'a>(&self, listing: &'a str) -> Cow<'a, str> {
        match self.page.highlighted {
            Some(lines) => highlight_lines(listing, lines).into(),
            None => listing.into(),
        }
    }
}

/// The parts of the page, as HTML, that depend on the reader or on the time.
struct VariableParts {
    url: String,
    facts: String,
}

/// The placeholder for a variable part in a template. It does not occur in other text, where this unsafe character is
/// replaced.
const HOLE: &str = "\0";

#[derive(Template)]
#[template(path = "facts.html", config = "src/page/askama.toml")]
struct FactsTemplate {
    saved: String,
    /// The text about the expiry. `None` if the paste was deleted.
    expiry: Option<String>,
    expires_at: Option<Utc>,
    views: String,
}

impl VariableParts {
    fn of(page: &PastePage<'_>) -> Self {
        let mut url = String::with_capacity(page.url.len());
        write_text(page.url, &mut url).expect("a string takes everything");
        let facts = FactsTemplate {
            saved: humanize::ago(page.age),
            expiry: (!page.availability.is_gone()).then(|| humanize::expiry(page.expires_in)),
            expires_at: page.expires_at.map(Utc::from_epoch_millis),
            views: humanize::total(page.paste.reads(), "view"),
        };
        Self {
            url,
            facts: template::write(&facts, 0),
        }
    }

    fn holes() -> Self {
        Self {
            url: HOLE.to_owned(),
            facts: HOLE.to_owned(),
        }
    }

    /// Returns the parts in the order in which the page contains them.
    fn in_order(&self) -> [&str; 3] {
        [&self.url, &self.facts, &self.url]
    }
}

/// Returns the page as HTML.
#[must_use]
pub fn paste(page: &PastePage<'_>) -> String {
    write(page, &VariableParts::of(page))
}

/// Returns the page compressed in this content coding.
///
/// The constant parts are compressed once and cached with the rendered paste. Returns `None` for a page that differs in
/// more than its variable parts, for example because lines are highlighted.
#[must_use]
pub fn compressed_paste(page: &PastePage<'_>, coding: ContentCoding) -> Option<Vec<u8>> {
    if page.may_delete || page.highlighted.is_some() || !page.availability.is_open() {
        return None;
    }
    let variable = VariableParts::of(page);
    let variable = variable.in_order();
    let template = page.rendered.compressed(coding, || {
        let html = write(page, &VariableParts::holes());
        let parts: Vec<&str> = html.split(HOLE).collect();
        assert_eq!(parts.len(), variable.len() + 1, "a hole per variable part");
        CompressedTemplate::new(coding, &parts)
    });
    Some(template.fill(&variable))
}

fn write(page: &PastePage<'_>, variable: &VariableParts) -> String {
    let fragment = &page.rendered.fragment;
    let title = page.paste.title().map(|title| visible(title.as_str()));
    let template = PasteTemplate {
        page,
        preview_title: title.clone().unwrap_or(Cow::Borrowed("A paste")),
        title: title.unwrap_or(Cow::Borrowed(page.id)),
        size: humanize::size(page.paste.bytes().len()),
        lines: fragment.lines.map(|lines| humanize::count(lines, "line")),
        variable,
        availability_note: page.availability.note(),
        width_class: width_class(fragment.lines.unwrap_or(0)),
        out_of_sight: page
            .highlighted
            .filter(|lines| fragment.is_out_of_sight(*lines)),
    };
    template::write(&template, page.rendered.size())
}

/// Returns the CSS class that reserves enough width for the line numbers of this many lines.
fn width_class(lines: usize) -> &'static str {
    match lines {
        0..10 => "w1",
        10..100 => "w2",
        100..1000 => "w3",
        1000..10_000 => "w4",
        _ => "w5",
    }
}

#[cfg(test)]
mod tests;
