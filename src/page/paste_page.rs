//! The page that shows a paste.
//!
//! What it must not know: who asks, and what the time is: age and remaining time come in.
//! Invariants: a title stands alone for the writing direction (`<bdi>`), with its odd characters shown; the button that
//! copies exists only where the text on the page is the text of the paste.
//! What a page is coded to is the page, for each reader at each moment.
//! Cost: 3 µs and a copy of what was rendered, or of what was coded.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use askama::Template;

use crate::date::Utc;
use crate::page::availability::Availability;
use crate::paste::{LineRange, Paste};
use crate::render::compressed_template::{CompressedTemplate, ContentCoding};
use crate::render::escape;
use crate::render::humanize;
use crate::render::listing::width_class;
use crate::render::marks::Marked;
use crate::render::odd;
use crate::render::render_key::View;
use crate::render::rendered::{Body, Rendered};

/// A paste and what is true of it at this moment.
#[derive(Clone, Copy)]
pub struct PastePage<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its absolute address.
    pub url: &'a str,
    /// The paste.
    pub paste: &'a Paste,
    /// How it is shown; a reader may ask for another language than the saver.
    pub rendered: &'a Rendered,
    /// How long ago it was saved.
    pub age: Duration,
    /// How soon it goes out; none if it does not.
    pub expires_in: Option<Duration>,
    /// When it goes out, in milliseconds since 1970.
    pub expires_at: Option<u64>,
    /// The lines to mark.
    pub highlighted: Option<LineRange>,
    /// Whether the reader has its token already, so that no token needs asking for.
    pub may_delete: bool,
    /// Whether its address shows as much.
    pub availability: Availability,
}

/// Whoever has an id has the paste, so neither reaches a log.
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
    card_title: Cow<'a, str>,
    size: String,
    lines: Option<String>,
    changing: &'a Changing,
    availability_note: Option<String>,
    width_class: &'static str,
    out_of_sight: Option<LineRange>,
}

impl PasteTemplate<'_> {
    fn highlighted<'a>(&self, listing: &'a str) -> Marked<'a> {
        Marked {
            listing,
            lines: self.page.highlighted,
        }
    }
}

/// What is not the same for every reader at every moment, as HTML.
struct Changing {
    url: String,
    facts: String,
}

/// Where it stands on a page. No other text has this character: it is odd.
const HOLE: &str = "\0";

#[derive(Template)]
#[template(path = "facts.html", config = "src/page/askama.toml")]
struct FactsTemplate {
    saved: String,
    /// None of a paste that is gone already.
    goes_out: Option<String>,
    goes_out_at: Option<Utc>,
    reads: String,
}

impl Changing {
    fn of(page: &PastePage<'_>) -> Self {
        let mut url = String::with_capacity(page.url.len());
        escape::write_text(page.url, &mut url).expect("a string takes everything");
        let facts = FactsTemplate {
            saved: humanize::ago(page.age),
            goes_out: (!page.availability.is_gone()).then(|| humanize::going_out(page.expires_in)),
            goes_out_at: page.expires_at.map(Utc::from_epoch_millis),
            reads: humanize::done("read", page.paste.reads()),
        };
        Self {
            url,
            facts: crate::page::write(&facts, 0),
        }
    }

    fn holes() -> Self {
        Self {
            url: HOLE.to_owned(),
            facts: HOLE.to_owned(),
        }
    }

    /// In the order of the page.
    fn in_order(&self) -> [&str; 3] {
        [&self.url, &self.facts, &self.url]
    }
}

/// The page as HTML.
#[must_use]
pub fn paste(page: &PastePage<'_>) -> String {
    write(page, &Changing::of(page))
}

/// The page as HTML in this format, if it is one that many see: what does not change of it is coded once, and kept with
/// what was rendered.
#[must_use]
pub fn compressed_paste(page: &PastePage<'_>, format: ContentCoding) -> Option<Vec<u8>> {
    if page.may_delete || page.highlighted.is_some() || !page.availability.is_open() {
        return None;
    }
    let changing = Changing::of(page);
    let changing = changing.in_order();
    let coded = page.rendered.coded(format, || {
        let html = write(page, &Changing::holes());
        let parts: Vec<&str> = html.split(HOLE).collect();
        let is_whole = parts.len() == changing.len() + 1;
        is_whole.then(|| CompressedTemplate::new(format, &parts).ok())?
    })?;
    Some(coded.with(&changing))
}

fn write(page: &PastePage<'_>, changing: &Changing) -> String {
    let rendered = page.rendered;
    let title = page.paste.title().map(|title| odd::shown(title.as_str()));
    let template = PasteTemplate {
        page,
        card_title: title.clone().unwrap_or(Cow::Borrowed("A paste")),
        title: title.unwrap_or(Cow::Borrowed(page.id)),
        size: humanize::size(page.paste.bytes().len()),
        lines: rendered.lines.map(|lines| humanize::counted(lines, "line")),
        changing,
        availability_note: page.availability.note(),
        width_class: width_class(rendered.lines.unwrap_or(0)),
        out_of_sight: page
            .highlighted
            .filter(|lines| rendered.is_out_of_sight(*lines)),
    };
    crate::page::write(&template, rendered.size())
}

#[cfg(test)]
mod tests;
