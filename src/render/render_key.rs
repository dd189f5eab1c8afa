//! Render keys: identify the forms in which a paste can be rendered.
//!
//! If a paste was saved without a language, its language is detected when it is rendered. So neither a save nor a
//! look-up in the page cache pays for it.
//! Invariants: two keys with a language that would produce the same fragment are equal. So it is rendered and cached
//! only once.

use crate::detection::detect;
use crate::paste::Language;
use crate::render::time_budget::TimeBudget;

/// The form in which a reader asks for a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderKey {
    /// `None` is the language that is detected in the paste.
    language: Option<Language>,
    view: View,
}

/// How a text is rendered: its language and its view, and within which time.
#[derive(Clone, Copy)]
pub(super) struct RenderForm<'a> {
    pub(super) language: Language,
    pub(super) view: View,
    /// The language of all files of a patch. `None` means that their names tell it.
    pub(super) file_language: Option<Language>,
    /// Where relative links lead.
    pub(super) link: Option<Link<'a>>,
    pub(super) budget: TimeBudget<'a>,
}

/// Returns where a relative link leads, or `None` if it leads nowhere.
pub(super) type Link<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The view of a paste: its rendered document or its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The rendered document. Languages that cannot be rendered as a document have only this view.
    Document,
    /// The rendered patch, with both sides beside each other. Only patches have this view.
    Split,
    /// The source, line by line.
    Source,
}

/// The renderer that a language needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Renderer {
    Markdown,
    Terminal,
    Patch,
    Table,
    Json,
    Log,
    /// The renderer highlights source code.
    Code,
}

impl RenderKey {
    /// Returns the key of a language, or of the language that will be detected. The key is for the source if a reader
    /// asks for the source.
    pub fn new(language: impl Into<Option<Language>>, asks_for_source: bool) -> Self {
        let view = match asks_for_source {
            true => View::Source,
            false => View::Document,
        };
        Self::of(language.into(), view)
    }

    /// Returns the key for a reader who asks for both sides of a patch beside each other.
    pub fn split(self) -> Self {
        Self::of(self.language, View::Split)
    }

    /// Returns the key of a view. A language without this view has the document.
    fn of(language: Option<Language>, view: View) -> Self {
        let view = match (view, language.map(renderer_of)) {
            (View::Source, Some(Renderer::Log | Renderer::Code)) => View::Document,
            (View::Split, Some(renderer)) if renderer != Renderer::Patch => View::Document,
            _ => view,
        };
        Self { language, view }
    }

    /// Returns the key for a reader who asks for certain lines: that of the source, which alone has the paste's line
    /// numbers.
    pub fn with_lines(self) -> Self {
        Self::new(self.language, true)
    }

    /// Returns the form in which a text with this title is rendered. This detects the language if the key has none.
    pub(super) fn form_of<'a>(
        self,
        text: &str,
        title: Option<&str>,
        budget: TimeBudget<'a>,
    ) -> RenderForm<'a> {
        let detected = || detect(text.as_bytes(), title);
        let language = self.language.unwrap_or_else(detected);
        RenderForm {
            language,
            view: Self::of(Some(language), self.view).view,
            file_language: None,
            link: None,
            budget,
        }
    }
}

impl RenderForm<'_> {
    pub(super) fn renderer(self) -> Renderer {
        renderer_of(self.language)
    }

    /// Returns the other view of the same paste. Returns `None` if there is only one view.
    pub(super) fn alternative_view(self) -> Option<View> {
        match (self.renderer(), self.view) {
            (Renderer::Log | Renderer::Code, _) => None,
            (_, View::Document | View::Split) => Some(View::Source),
            (_, View::Source) => Some(View::Document),
        }
    }
}

fn renderer_of(language: Language) -> Renderer {
    match language.name() {
        "markdown" => Renderer::Markdown,
        "ansi" => Renderer::Terminal,
        "diff" => Renderer::Patch,
        "csv" | "tsv" => Renderer::Table,
        "json" | "jsonl" => Renderer::Json,
        "log" => Renderer::Log,
        _ => Renderer::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_look_the_same_have_one_key() {
        let named = |name| Language::from_name(name).expect("a language");
        assert_eq!(
            RenderKey::new(named("rust"), true),
            RenderKey::new(named("rs"), false)
        );
        assert_ne!(
            RenderKey::new(named("md"), true),
            RenderKey::new(named("md"), false)
        );
        let split = |language| RenderKey::new(language, false).split();
        assert_eq!(split(named("md")), RenderKey::new(named("md"), false));
        assert_ne!(split(named("diff")), RenderKey::new(named("diff"), false));
        assert_eq!(
            RenderKey::new(named("md"), false).with_lines(),
            RenderKey::new(named("md"), true)
        );
        let lines = RenderKey::new(named("ansi"), false).with_lines();
        assert_eq!(lines, RenderKey::new(named("ansi"), true));
        assert_eq!(
            RenderKey::new(named("rust"), false).with_lines(),
            RenderKey::new(named("rust"), false)
        );
    }
    #[test]
    fn a_key_without_a_language_takes_that_of_the_text() {
        let budget = TimeBudget::until(&|| false);
        for (text, asks_for_source, language, view) in [
            ("\u{1b}[32mok", false, "ansi", View::Document),
            ("\u{1b}[32mok", true, "ansi", View::Source),
            ("{\"a\": 1}", true, "json", View::Source),
            ("just words", false, "text", View::Document),
        ] {
            let form = RenderKey::new(None, asks_for_source).form_of(text, None, budget);
            assert_eq!((form.language.name(), form.view), (language, view));
        }
        let named = RenderKey::new(Language::PLAIN, false).form_of("{\"a\": 1}", None, budget);
        assert_eq!(named.language, Language::PLAIN);
    }
}
