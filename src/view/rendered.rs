//! Rendering: the part of a paste's page that costs time, and stays the same whoever asks and whenever.
//!
//! What it must not know: the page around it, who asks, what the time is; so it may be kept and shown to everybody.
//! Invariants: whatever comes from the paste is escaped, or of the elements and attributes that the renderer of its
//! kind allows; a renderer that uses up its [`Allowance`], or panics, is replaced by the plain listing, which says so.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use super::allowance::{Allowance, UsedUp};
use super::card;
use super::code::{self, Colours};
use super::coded_page::{CodedPage, Format};
use super::excerpt::Excerpt;
use super::hex::HexView;
use super::listing;
use super::markdown::{Document, markdown};
use super::paint::Span;
use super::shape::{Kind, Shape, View};
use super::terminal::{terminal, without_colours};
use crate::paste::{LineRange, Paste};

/// A paste as it is shown.
#[derive(Debug)]
pub struct Rendered {
    pub(super) body: Body,
    /// What it is, for a person.
    pub(super) kind: &'static str,
    /// How many lines the whole text has.
    pub(super) lines: Option<usize>,
    /// How many of them are shown, if not all.
    shown_lines: Option<usize>,
    /// Whether the text on the page is one that a reader would want to copy.
    pub(super) can_copy: bool,
    /// What its card says; nothing of a text that is no paste's.
    pub(super) description: String,
    /// What is not shown, or not shown as asked.
    pub(super) note: Option<String>,
    /// As what else it can be shown.
    pub(super) other_view: Option<View>,
    /// Whether no more time would have made more of it.
    is_complete: bool,
    coded: Coded,
}

/// The page around it in each format that somebody asked for; nothing where it cannot be coded in parts.
#[derive(Debug, Default)]
struct Coded {
    brotli: OnceLock<Option<CodedPage>>,
    gzip: OnceLock<Option<CodedPage>>,
}

/// How it is shown.
#[derive(Debug)]
pub(super) enum Body {
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
    pub fn new(paste: &Paste, shape: Shape, allowance: Allowance<'_>) -> Self {
        let rendered = match paste.text() {
            Some(text) => Self::text(text, shape, allowance),
            None => Self::binary(paste.bytes()),
        };
        Self {
            description: card::description(paste),
            ..rendered
        }
    }

    /// Renders the text in this shape.
    pub(super) fn text(text: &str, shape: Shape, allowance: Allowance<'_>) -> Self {
        let other_view = shape.other_view();
        let rendered = match (shape.kind(), shape.view()) {
            (Kind::Code, _) => return Self::source(text, shape, allowance),
            (_, View::Source) => {
                return Self {
                    other_view,
                    ..Self::source(text, shape, allowance)
                };
            }
            (Kind::Markdown, View::Document) => Self::markdown(text, shape, allowance),
            (Kind::Terminal, View::Document) => Self::terminal(text, shape, allowance),
        };
        match rendered {
            Ok(rendered) => Self {
                other_view,
                ..rendered
            },
            Err(UsedUp) => Self {
                is_complete: allowance.check().is_ok(),
                ..Self::source(text, shape, allowance).with_note(TOO_INTRICATE)
            },
        }
    }

    fn markdown(text: &str, shape: Shape, allowance: Allowance<'_>) -> Result<Self, UsedUp> {
        let document = guarded(|| markdown(text, allowance))?;
        let note = document.lacks_colours().then_some(CODE_WITHOUT_COLOURS);
        Ok(Self {
            body: Body::Document(document),
            kind: shape.language().label(),
            lines: Some(Excerpt::of(text).lines()),
            shown_lines: None,
            can_copy: false,
            description: String::new(),
            note: note.map(str::to_owned),
            other_view: None,
            is_complete: true,
            coded: Coded::default(),
        })
    }

    fn terminal(text: &str, shape: Shape, allowance: Allowance<'_>) -> Result<Self, UsedUp> {
        let excerpt = Excerpt::of(text);
        let (printed, spans) = guarded(|| terminal(excerpt.shown(), allowance))?;
        let listing = Self::listing(&excerpt, &printed, &spans, shape);
        if printed != without_colours(excerpt.shown()) {
            return Ok(listing.with_note(HIDDEN));
        }
        let copied = listing::is_faithful(&Excerpt::of(&printed)) && excerpt.is_whole();
        Ok(listing.with_copy(copied))
    }

    fn source(text: &str, shape: Shape, allowance: Allowance<'_>) -> Self {
        let excerpt = Excerpt::of(text);
        let copied = listing::is_faithful(&excerpt);
        match guarded(|| code::paint(excerpt.shown(), shape.language(), &allowance)) {
            Ok(Colours { spans, bound }) => {
                let rendered = Self::listing(&excerpt, excerpt.shown(), &spans, shape);
                match bound {
                    Some(bound) => rendered.with_note(&bound.to_string()),
                    None => rendered,
                }
            }
            Err(UsedUp) => Self {
                is_complete: allowance.check().is_ok(),
                ..Self::listing(&excerpt, excerpt.shown(), &[], shape).with_note(WITHOUT_COLOURS)
            },
        }
        .with_copy(copied)
    }

    fn listing(excerpt: &Excerpt<'_>, shown: &str, spans: &[Span], shape: Shape) -> Self {
        Self {
            body: Body::Listing(listing::listing(shown, spans)),
            kind: shape.language().label(),
            lines: Some(excerpt.lines()),
            shown_lines: excerpt.shown_lines(),
            can_copy: false,
            description: String::new(),
            note: excerpt.what_is_shown(),
            other_view: None,
            is_complete: true,
            coded: Coded::default(),
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
    pub(super) fn is_out_of_sight(&self, lines: LineRange) -> bool {
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
    pub(super) fn coded(
        &self,
        format: Format,
        make: impl FnOnce() -> Option<CodedPage>,
    ) -> Option<&CodedPage> {
        let coded = match format {
            Format::Brotli => &self.coded.brotli,
            Format::Gzip => &self.coded.gzip,
        };
        coded.get_or_init(make).as_ref()
    }

    /// Bytes of memory that it takes, in all. It grows when the page around it is coded in another format.
    #[must_use]
    pub fn charge(&self) -> usize {
        let coded = [&self.coded.brotli, &self.coded.gzip];
        let coded = coded.iter().filter_map(|coded| coded.get()?.as_ref());
        self.size() + coded.map(CodedPage::size).sum::<usize>()
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
fn guarded<T>(render: impl FnOnce() -> Result<T, UsedUp>) -> Result<T, UsedUp> {
    catch_unwind(AssertUnwindSafe(render)).unwrap_or(Err(UsedUp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::Language;

    fn rendered(text: &str, language: &str, asks_for_source: bool, is_used_up: bool) -> Rendered {
        let language = Language::named(language).expect("a language");
        let shape = Shape::new(language, asks_for_source);
        Rendered::text(text, shape, Allowance::until(&|| is_used_up))
    }

    #[test]
    fn only_markdown_is_a_document_and_only_where_nobody_asks_for_its_source() {
        let document = rendered("# a", "md", false, false);
        assert!(matches!(document.body, Body::Document(_)) && !document.can_copy);
        assert_eq!(document.other_view, Some(View::Source));
        let source = rendered("# a", "md", true, false);
        assert!(matches!(source.body, Body::Listing(_)) && source.can_copy);
        assert_eq!(source.other_view, Some(View::Document));
        let other = rendered("# a", "text", false, false);
        assert!(matches!(other.body, Body::Listing(_)));
        assert_eq!(other.other_view, None);
    }

    #[test]
    fn a_document_that_goes_over_a_bound_is_shown_as_source_and_says_so() {
        let wide = "a|".repeat(1000) + "\n" + &"-|".repeat(1000);
        let long = "```\n```\n".repeat(100);
        for (text, is_used_up) in [(wide, false), (long, true)] {
            let rendered = rendered(&text, "md", false, is_used_up);
            assert!(matches!(rendered.body, Body::Listing(_)) && rendered.can_copy);
            assert_eq!(rendered.other_view, None);
            assert!(
                rendered
                    .note
                    .is_some_and(|note| note.contains("this is its source."))
            );
        }
    }

    #[test]
    fn what_a_terminal_hides_is_told_and_not_copied() {
        let plain = rendered("\u{1b}[32mok\u{1b}[0m\r\n", "ansi", false, false);
        assert!(plain.can_copy && plain.note.is_none());
        let hiding = rendered("echo\u{1b}_\nrm -rf ~\n\u{1b}\\ done", "ansi", false, false);
        assert!(!hiding.can_copy);
        assert_eq!(hiding.note.as_deref(), Some(HIDDEN));
        assert_eq!(hiding.other_view, Some(View::Source));
    }

    #[test]
    fn what_more_time_would_make_no_better_is_complete() {
        let wide = "a|".repeat(1000) + "\n" + &"-|".repeat(1000);
        let code = "```rust\nlet x = 1;\n```\n";
        let large = ("a".repeat(100) + "\n").repeat(15_000);
        for (text, language, is_used_up, is_complete) in [
            (code, "md", false, true),
            (code, "md", true, false),
            (&wide, "md", false, true),
            ("\u{1b}[1ma", "ansi", true, false),
            ("a", "text", true, true),
            (&large, "text", true, true),
            (&large, "rust", true, true),
            ("a", "rust", true, false),
        ] {
            let rendered = rendered(text, language, false, is_used_up);
            assert_eq!(rendered.is_complete(), is_complete, "{language}");
        }
    }

    #[test]
    fn a_bound_of_the_colours_is_told() {
        let large = ("a".repeat(100) + "\n").repeat(15_000);
        let long = "a".repeat(1000);
        let note = |text: &str, language| rendered(text, language, false, false).note;
        let starts = |note: Option<String>, start| note.is_some_and(|note| note.starts_with(start));
        assert!(starts(note(&large, "rust"), "This text is too large to be"));
        assert!(starts(note(&long, "rust"), "Colours end at line 1: it is"));
        assert!(!starts(note(&large, "text"), "This text is too large"));
        assert_eq!(note(&long, "text"), None);
    }

    #[test]
    fn a_document_whose_code_goes_over_a_bound_of_the_colours_says_so() {
        let document = |code: &str| format!("# a\n\n```rust\n{code}\n```\n\n- b\n");
        let note = |text: &str| rendered(text, "md", false, false).note;
        let long = document(&"a".repeat(1000));
        let metadata = format!("---\na: {}\n---\n", "b".repeat(1000));
        assert_eq!(note(&document("let x = 1;")), None);
        assert_eq!(note(&long).as_deref(), Some(CODE_WITHOUT_COLOURS));
        assert_eq!(note(&metadata).as_deref(), Some(CODE_WITHOUT_COLOURS));
    }

    #[test]
    fn a_document_whose_code_takes_too_long_is_shown_as_its_source() {
        let asked = std::cell::Cell::new(0);
        let is_used_up = || {
            asked.set(asked.get() + 1);
            asked.get() > 100
        };
        let text = format!("```rust\n{}```\n", "let x = 1;\n".repeat(200));
        let language = Language::named("md").expect("a language");
        let shape = Shape::new(language, false);
        let rendered = Rendered::text(&text, shape, Allowance::until(&is_used_up));
        assert!(matches!(rendered.body, Body::Listing(_)) && !rendered.is_complete());
    }

    #[test]
    fn a_renderer_that_panics_has_given_up() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let found: Result<(), UsedUp> = guarded(|| panic!("a fault"));
        std::panic::set_hook(hook);
        assert_eq!(found, Err(UsedUp));
    }
}
