//! A fragment: the HTML of a paste's content, and the facts about it that the page states.
//!
//! Invariants: text of the content is escaped. Markup is limited to the elements and attributes that the renderer
//! allows. If a renderer exceeds its time budget or panics, the fragment is a plain listing with a note.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::paste::{Charset, Decoded, Image, Language};
use crate::render::autolink::{MOST, links};
use crate::render::code::{Highlighter, Highlighting};
use crate::render::escape::bound_marked;
use crate::render::excerpt::Excerpt;
use crate::render::hex_view::hex_view;
use crate::render::highlight::Span;
use crate::render::humanize;
use crate::render::json::{json, json_lines};
use crate::render::listing::listing;
use crate::render::log::{Log, log};
use crate::render::markdown::{Document, markdown};
use crate::render::patch::{Patch, patch};
use crate::render::render_key::{RenderForm, Renderer, View};
use crate::render::table::table;
use crate::render::terminal::{terminal, without_colours};
use crate::render::time_budget::OutOfTime;
use crate::render::unsafe_char::{is_plain, visible};

/// The rendered content of a paste.
pub(crate) struct Fragment {
    pub(crate) body: Body,
    /// The kind of the content as readers see it, such as a language's name.
    pub(crate) kind: &'static str,
    /// The number of lines of the whole text. `None` for binary data.
    pub(crate) lines: Option<usize>,
    /// The number of shown lines, or rows of a table. `None` if all are shown.
    pub(crate) shown_lines: Option<usize>,
    /// Whether the page shows exactly the paste's text. Line ends may differ.
    pub(crate) can_copy: bool,
    /// A sentence about the content that is not shown, or not shown as requested.
    pub(crate) note: Option<String>,
    pub(crate) alternative_view: Option<View>,
    /// False if the time budget ran out, so that rendering again may give a better page.
    pub(crate) is_complete: bool,
}

/// The rendered content, as HTML or text.
pub(crate) enum Body {
    Document(Document),
    Patch(Patch),
    /// A table, as HTML.
    Table(String),
    /// Formatted JSON, as HTML.
    Json(String),
    /// The numbered lines of JSON Lines, as HTML.
    Records(String),
    /// Numbered lines, as HTML.
    Listing(String),
    /// The numbered lines of a terminal, as HTML.
    Terminal(String),
    Log(Log),
    /// A hex view, as plain text.
    Hex(String),
    /// The text without any markup.
    Plain(String),
    /// An image. Whether the page shows it is not decided here.
    Image(Image),
    /// The files of an archive.
    Files(Vec<ShownFile>),
}

impl Body {
    /// Returns whether the page shows numbered lines.
    pub(crate) fn has_lines(&self) -> bool {
        matches!(
            self,
            Self::Listing(_) | Self::Terminal(_) | Self::Records(_) | Self::Log(_) | Self::Patch(_)
        )
    }

    /// Returns the bytes of the HTML or the text.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Document(document) => document.html.len(),
            Self::Patch(patch) => patch.html.len(),
            Self::Log(log) => log.html.len(),
            Self::Table(text) | Self::Json(text) | Self::Records(text) => text.len(),
            Self::Listing(text) | Self::Terminal(text) => text.len(),
            Self::Hex(text) | Self::Plain(text) => text.len(),
            Self::Image(_) => 0,
            Self::Files(files) => {
                let fragments = files.iter().filter_map(|file| file.fragment.as_ref());
                fragments.map(|fragment| fragment.body.size()).sum()
            }
        }
    }

    pub(crate) fn html_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Document(document) => Some(&mut document.html),
            Self::Patch(patch) => Some(&mut patch.html),
            Self::Log(log) => Some(&mut log.html),
            Self::Table(html) | Self::Json(html) | Self::Records(html) => Some(html),
            Self::Listing(html) | Self::Terminal(html) => Some(html),
            Self::Hex(_) | Self::Plain(_) | Self::Image(_) | Self::Files(_) => None,
        }
    }

    /// Returns whether the content is data and not a text.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self, Self::Hex(_) | Self::Image(_) | Self::Files(_))
    }
}

/// A file on the page of an archive.
pub(crate) struct ShownFile {
    /// The name, as a page shows it.
    pub(crate) name: String,
    /// The name, as a URL has it.
    pub(crate) path: String,
    pub(crate) bytes: usize,
    /// The pixels of an image.
    pub(crate) pixels: Option<u64>,
    /// `None` if the page has no room for the file.
    pub(crate) fragment: Option<Fragment>,
}

const WITHOUT_HIGHLIGHTING: &str = "Shown without syntax highlighting: it took too long.";

const CODE_WITHOUT_HIGHLIGHTING: &str =
    "Some of the code has no syntax highlighting: a line is too long or nested too deeply.";

pub(crate) const BUSY: &str =
    "Shown as plain text, because the server is busy. Reload the page for the usual view.";

const HIDDEN: &str = "A terminal hides part of this output. The source shows all of it.";

const TOO_COMPLEX: &str =
    "This document is too large or too complex to render. This is its source.";

impl Fragment {
    /// Renders a text in this form.
    pub(super) fn of_form(text: &str, form: RenderForm<'_>) -> Self {
        let rendered = catch_panic(|| match (form.renderer(), form.view) {
            (Renderer::Code, _) | (_, View::Source) => Ok(Some(Self::source(text, form))),
            (Renderer::Markdown, _) => Self::markdown(text, form).map(Some),
            (Renderer::Terminal, _) => Self::terminal(text, form).map(Some),
            (Renderer::Patch, _) => Self::patch(text, form),
            (Renderer::Table, _) => Self::table(text, form),
            (Renderer::Json, _) => Self::json(text, form),
            (Renderer::Log, _) => Self::log(text, form).map(Some),
        });
        let mut fragment = match rendered {
            Ok(Some(fragment)) => Self {
                alternative_view: form.alternative_view(),
                ..fragment
            },
            // The text is not valid in its language.
            Ok(None) => Self::source(text, form),
            Err(OutOfTime) => Self {
                is_complete: form.budget.check().is_ok(),
                ..Self::source(text, form).with_note(Some(TOO_COMPLEX))
            },
        };
        if let Some(html) = fragment.body.html_mut() {
            bound_marked(html);
        }
        fragment
    }

    /// Shows a text at the least cost.
    pub(super) fn plain(text: &str, form: RenderForm<'_>) -> Self {
        let excerpt = Excerpt::of(text);
        let body = Body::Plain(visible(excerpt.shown).into_owned());
        Self {
            alternative_view: form.alternative_view(),
            can_copy: false,
            ..Self::of_lines(&excerpt, body, form).with_note(Some(BUSY))
        }
    }

    fn markdown(text: &str, form: RenderForm<'_>) -> Result<Self, OutOfTime> {
        let document = markdown(text, form.link, form.budget)?;
        let note = document
            .has_unhighlighted_code
            .then_some(CODE_WITHOUT_HIGHLIGHTING);
        Ok(Self {
            lines: Some(Excerpt::of(text).lines),
            ..Self::new(form.language.label(), Body::Document(document)).with_note(note)
        })
    }

    /// Renders a patch. Returns `None` if the text is not a unified diff.
    fn patch(text: &str, form: RenderForm<'_>) -> Result<Option<Self>, OutOfTime> {
        let excerpt = Excerpt::of(text);
        let (language, is_split) = (form.file_language, form.view == View::Split);
        let Some(patch) = patch(excerpt.shown, language, is_split, form.budget)? else {
            return Ok(None);
        };
        let is_complete = !patch.is_late;
        let fragment = Self {
            // An excerpt cuts a hunk off.
            note: excerpt.truncation_note().or(patch.note.clone()),
            is_complete,
            ..Self::of_lines(&excerpt, Body::Patch(patch), form)
        };
        let note = (!is_complete).then_some(WITHOUT_HIGHLIGHTING);
        Ok(Some(fragment.with_note(note)))
    }

    /// Renders a table. Returns `None` if the text is not one.
    fn table(text: &str, form: RenderForm<'_>) -> Result<Option<Self>, OutOfTime> {
        let excerpt = Excerpt::of(text);
        let (language, is_whole) = (form.language, excerpt.is_whole());
        let Some(table) = table(excerpt.shown, language, is_whole, form.budget)? else {
            return Ok(None);
        };
        let first = |rows| format!("Only the first {} are shown.", humanize::count(rows, "row"));
        Ok(Some(Self {
            lines: Some(excerpt.lines),
            shown_lines: table.shown_rows,
            note: table.shown_rows.map(first),
            ..Self::new(form.language.label(), Body::Table(table.html))
        }))
    }

    /// Formats JSON, or shows its lines. Returns `None` if the text is not valid.
    fn json(text: &str, form: RenderForm<'_>) -> Result<Option<Self>, OutOfTime> {
        let excerpt = Excerpt::of(text);
        if let Some(lines) = json_lines(excerpt.shown, form.budget)? {
            return Ok(Some(Self::of_lines(&excerpt, Body::Records(lines), form)));
        }
        let Some(json) = json(text, form.budget)? else {
            return Ok(None);
        };
        let first = |lines| {
            let lines = humanize::count(lines, "line");
            format!("Only the first {lines} of the formatted text are shown.")
        };
        Ok(Some(Self {
            lines: Some(excerpt.lines),
            shown_lines: json.shown_lines,
            note: json.shown_lines.map(first),
            ..Self::new(form.language.label(), Body::Json(json.html))
        }))
    }

    fn log(text: &str, form: RenderForm<'_>) -> Result<Self, OutOfTime> {
        let excerpt = Excerpt::of(text);
        let log = log(excerpt.shown, form.budget)?;
        Ok(Self::of_lines(&excerpt, Body::Log(log), form))
    }

    fn terminal(text: &str, form: RenderForm<'_>) -> Result<Self, OutOfTime> {
        let excerpt = Excerpt::of(text);
        let (printed, spans) = terminal(excerpt.shown, form.budget)?;
        let body = Body::Terminal(listing(&printed, &spans));
        let listing = Self::of_lines(&excerpt, body, form);
        if printed != without_colours(excerpt.shown) {
            return Ok(listing.with_note(Some(HIDDEN)));
        }
        let is_printed_whole = Excerpt::of(&printed).is_whole() && excerpt.is_whole();
        Ok(Self {
            can_copy: is_printed_whole && is_plain(&printed),
            ..listing
        })
    }

    fn source(text: &str, form: RenderForm<'_>) -> Self {
        let excerpt = Excerpt::of(text);
        let listed = |spans: &[Span]| {
            let html = listing(excerpt.shown, spans);
            Self::of_lines(&excerpt, Body::Listing(html), form)
        };
        let highlight = || match form.language {
            Language::PLAIN => Ok(Highlighting {
                spans: links(excerpt.shown).take(MOST).collect(),
                limit: None,
            }),
            language => Highlighter::default().highlight(excerpt.shown, language, &form.budget),
        };
        match catch_panic(highlight) {
            Ok(Highlighting { spans, limit }) => listed(&spans).with_note(limit.as_deref()),
            Err(OutOfTime) => Self {
                is_complete: form.budget.check().is_ok(),
                ..listed(&[]).with_note(Some(WITHOUT_HIGHLIGHTING))
            },
        }
    }

    fn of_lines(excerpt: &Excerpt<'_>, body: Body, form: RenderForm<'_>) -> Self {
        Self {
            lines: Some(excerpt.lines),
            shown_lines: excerpt.shown_lines(),
            can_copy: excerpt.is_whole() && is_plain(excerpt.shown),
            note: excerpt.truncation_note(),
            ..Self::new(form.language.label(), body)
        }
    }

    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        let (rows, note) = hex_view(bytes);
        Self {
            note: Some(note),
            ..Self::new("Binary data", Body::Hex(rows))
        }
    }

    pub(crate) fn new(kind: &'static str, body: Body) -> Self {
        Self {
            body,
            kind,
            lines: None,
            shown_lines: None,
            can_copy: false,
            note: None,
            alternative_view: None,
            is_complete: true,
        }
    }

    /// Names the charset from which the text was decoded.
    pub(super) fn with_charset(self, charset: Charset, decoded: &Decoded, total: usize) -> Self {
        let (first, rest) = charset.name().split_at(1);
        let mut note = format!("Shown as {}{rest}.", first.to_uppercase());
        if decoded.has_errors {
            note.push_str(" Bytes that are not valid are shown as \u{fffd}.");
        }
        let named = self.with_note(Some(&note));
        if !decoded.is_cut {
            return named;
        }
        let total = humanize::size(total);
        Self {
            lines: None,
            shown_lines: named.shown_lines.or(named.lines),
            note: Some(format!("{note} Only the beginning of {total} is shown.")),
            can_copy: false,
            ..named
        }
    }

    /// Inserts a sentence before the note.
    pub(crate) fn with_note(mut self, first: Option<&str>) -> Self {
        let notes: Vec<&str> = first.into_iter().chain(self.note.as_deref()).collect();
        self.note = (!notes.is_empty()).then(|| notes.join(" "));
        self
    }

    /// Returns whether the page shows only a part of the text.
    pub(crate) fn is_truncated(&self) -> bool {
        self.shown_lines.is_some()
    }
}

/// Runs a renderer and turns a panic into [`OutOfTime`]. The renderer changes no shared values, so a panic leaves
/// nothing incomplete.
fn catch_panic<T>(render: impl FnOnce() -> Result<T, OutOfTime>) -> Result<T, OutOfTime> {
    catch_unwind(AssertUnwindSafe(render)).unwrap_or(Err(OutOfTime))
}

#[cfg(test)]
mod tests;
