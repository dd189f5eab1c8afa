//! Rendering: the part of a paste's page that costs time, and stays the same whoever asks and whenever.
//!
//! What it must not know: the page around it, who asks, what the time is; so it may be kept and shown to everybody.
//! Invariants: whatever comes from the paste is escaped, or of the elements and attributes that the renderer of its
//! kind allows; a renderer that uses up its [`TimeBudget`], or panics, is replaced by the plain listing, which says so.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::paste::{LineRange, Paste, Timestamp, Title};
use crate::render::card;
use crate::render::code::{self, Colours};
use crate::render::compressed_template::{CompressedTemplate, ContentCoding};
use crate::render::excerpt::Excerpt;
use crate::render::hex::HexView;
use crate::render::listing;
use crate::render::markdown::{Document, markdown};
use crate::render::paint::Span;
use crate::render::render_key::{Kind, RenderKey, View};
use crate::render::terminal::{terminal, without_colours};
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// A paste as it is shown.
#[derive(Debug)]
pub struct Rendered {
    of: Version,
    pub(crate) body: Body,
    /// What it is, for a person.
    pub(crate) kind: &'static str,
    /// How many lines the whole text has.
    pub(crate) lines: Option<usize>,
    /// How many of them are shown, if not all.
    shown_lines: Option<usize>,
    /// Whether the text on the page is one that a reader would want to copy.
    pub(crate) can_copy: bool,
    /// What its card says; nothing of a text that is no paste's.
    pub(crate) description: String,
    /// What is not shown, or not shown as asked.
    pub(crate) note: Option<String>,
    /// As what else it can be shown.
    pub(crate) other_view: Option<View>,
    /// Whether no more time would have made more of it.
    is_complete: bool,
    coded: Coded,
}

/// Which of the contents and titles that a paste had one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Version {
    saved: Timestamp,
    title: Option<Title>,
}

impl Version {
    fn of(paste: &Paste) -> Self {
        Self {
            saved: paste.saved(),
            title: paste.title().cloned(),
        }
    }
}

/// The page around it in each format that somebody asked for; nothing where it cannot be coded in parts.
#[derive(Debug, Default)]
struct Coded {
    brotli: OnceLock<Option<CompressedTemplate>>,
    gzip: OnceLock<Option<CompressedTemplate>>,
}

/// How it is shown.
#[derive(Debug)]
pub(crate) enum Body {
    /// As the document that it describes.
    Document(Document),
    /// As lines with numbers; HTML.
    Listing(String),
    /// As bytes.
    Hex(String),
}

const WITHOUT_COLOURS: &str = "This text is shown without colours: colouring it took too long.";

const CODE_WITHOUT_COLOURS: &str =
    "Some of the code here is without colours: a line of it is too long, or nested too deep.";

const HIDDEN: &str =
    "A terminal hides or overwrites part of this output; the source shows all of it.";

const TOO_INTRICATE: &str =
    "This document is too large or too intricate to be shown as such; this is its source.";

impl Rendered {
    /// Renders the paste in this shape.
    #[must_use]
    pub fn new(paste: &Paste, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        let rendered = match paste.text() {
            Some(text) => Self::text(text, key, budget),
            None => Self::binary(paste.bytes()),
        };
        Self {
            of: Version::of(paste),
            description: card::description(paste),
            ..rendered
        }
    }

    /// Whether it shows this paste as it is, and not as it was before a change.
    #[must_use]
    pub fn same_revision(&self, paste: &Paste) -> bool {
        self.of == Version::of(paste)
    }

    /// Renders the text in this shape.
    pub(crate) fn text(text: &str, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        let other_view = key.other_view();
        let rendered = match (key.kind(), key.view()) {
            (Kind::Code, _) => return Self::source(text, key, budget),
            (_, View::Source) => {
                return Self {
                    other_view,
                    ..Self::source(text, key, budget)
                };
            }
            (Kind::Markdown, View::Document) => Self::markdown(text, key, budget),
            (Kind::Terminal, View::Document) => Self::terminal(text, key, budget),
        };
        match rendered {
            Ok(rendered) => Self {
                other_view,
                ..rendered
            },
            Err(OutOfTime) => Self {
                is_complete: budget.check().is_ok(),
                ..Self::source(text, key, budget).with_note(TOO_INTRICATE)
            },
        }
    }

    fn markdown(text: &str, key: RenderKey, budget: TimeBudget<'_>) -> Result<Self, OutOfTime> {
        let document = guarded(|| markdown(text, budget))?;
        let note = document.lacks_colours().then_some(CODE_WITHOUT_COLOURS);
        Ok(Self {
            body: Body::Document(document),
            kind: key.language().label(),
            lines: Some(Excerpt::of(text).lines()),
            shown_lines: None,
            can_copy: false,
            description: String::new(),
            note: note.map(str::to_owned),
            other_view: None,
            is_complete: true,
            coded: Coded::default(),
            of: Version::default(),
        })
    }

    fn terminal(text: &str, key: RenderKey, budget: TimeBudget<'_>) -> Result<Self, OutOfTime> {
        let excerpt = Excerpt::of(text);
        let (printed, spans) = guarded(|| terminal(excerpt.shown(), budget))?;
        let listing = Self::listing(&excerpt, &printed, &spans, key);
        if printed != without_colours(excerpt.shown()) {
            return Ok(listing.with_note(HIDDEN));
        }
        let copied = listing::is_faithful(&Excerpt::of(&printed)) && excerpt.is_whole();
        Ok(listing.with_copy(copied))
    }

    fn source(text: &str, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        let excerpt = Excerpt::of(text);
        let copied = listing::is_faithful(&excerpt);
        match guarded(|| code::paint(excerpt.shown(), key.language(), &budget)) {
            Ok(Colours { spans, bound }) => {
                let rendered = Self::listing(&excerpt, excerpt.shown(), &spans, key);
                match bound {
                    Some(bound) => rendered.with_note(&bound.to_string()),
                    None => rendered,
                }
            }
            Err(OutOfTime) => Self {
                is_complete: budget.check().is_ok(),
                ..Self::listing(&excerpt, excerpt.shown(), &[], key).with_note(WITHOUT_COLOURS)
            },
        }
        .with_copy(copied)
    }

    fn listing(excerpt: &Excerpt<'_>, shown: &str, spans: &[Span], key: RenderKey) -> Self {
        Self {
            body: Body::Listing(listing::listing(shown, spans)),
            kind: key.language().label(),
            lines: Some(excerpt.lines()),
            shown_lines: excerpt.shown_lines(),
            can_copy: false,
            description: String::new(),
            note: excerpt.what_is_shown(),
            other_view: None,
            is_complete: true,
            coded: Coded::default(),
            of: Version::default(),
        }
    }

    fn binary(bytes: &[u8]) -> Self {
        let view = HexView::new(bytes);
        Self {
            body: Body::Hex(view.to_string()),
            kind: "Binary data",
            lines: None,
            shown_lines: None,
            can_copy: false,
            description: String::new(),
            note: Some(view.what_is_shown()),
            other_view: None,
            is_complete: true,
            coded: Coded::default(),
            of: Version::default(),
        }
    }

    fn with_copy(self, can_copy: bool) -> Self {
        Self { can_copy, ..self }
    }

    fn with_note(self, first: &str) -> Self {
        let note = match self.note {
            Some(note) => format!("{first} {note}"),
            None => first.to_owned(),
        };
        Self {
            note: Some(note),
            ..self
        }
    }

    /// Whether the first of these lines is behind what is shown.
    pub(crate) fn is_out_of_sight(&self, lines: LineRange) -> bool {
        self.shown_lines.is_some_and(|shown| lines.first() > shown)
    }

    /// Whether whoever has the page has all that was written, to the character.
    #[must_use]
    pub fn shows_all(&self) -> bool {
        self.can_copy
    }

    /// Whether it is what the paste is shown as from now on. If not, the time was used up and it is plainer: made anew
    /// it may do better, as grammars that had to be prepared are ready by then.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The page around it in this format, which is made once.
    pub(crate) fn coded(
        &self,
        format: ContentCoding,
        make: impl FnOnce() -> Option<CompressedTemplate>,
    ) -> Option<&CompressedTemplate> {
        let coded = match format {
            ContentCoding::Brotli => &self.coded.brotli,
            ContentCoding::Gzip => &self.coded.gzip,
        };
        coded.get_or_init(make).as_ref()
    }

    /// Bytes of memory that it takes, in all. It grows when the page around it is coded in another format.
    #[must_use]
    pub fn memory_size(&self) -> usize {
        let coded = [&self.coded.brotli, &self.coded.gzip];
        let coded = coded.iter().filter_map(|coded| coded.get()?.as_ref());
        self.size() + coded.map(CompressedTemplate::size).sum::<usize>()
    }

    /// The same without what is coded, about as large as the page.
    #[must_use]
    pub fn size(&self) -> usize {
        let body = match &self.body {
            Body::Document(document) => document.size(),
            Body::Listing(html) | Body::Hex(html) => html.capacity(),
        };
        let note = self.note.as_ref().map_or(0, String::capacity);
        size_of::<Self>() + body + self.description.capacity() + note
    }
}

/// A renderer is given what strangers wrote: one that panics counts as one that gave up. It works on values of its own,
/// so nothing is left half done.
fn guarded<T>(render: impl FnOnce() -> Result<T, OutOfTime>) -> Result<T, OutOfTime> {
    catch_unwind(AssertUnwindSafe(render)).unwrap_or(Err(OutOfTime))
}

#[cfg(test)]
mod tests;
