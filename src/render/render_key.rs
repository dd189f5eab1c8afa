//! Render keys: the forms in which a paste can be rendered.
//!
//! Invariants: two keys whose fragments would be equal are equal, so that each fragment is rendered and cached once.

use crate::paste::Language;

/// The form in which a paste is rendered: its language and its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderKey {
    language: Language,
    view: View,
}

/// The view of a paste whose language can be rendered as a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The rendered document. Other languages have this view only.
    Document,
    /// The source, line by line.
    Source,
}

/// The renderer of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Renderer {
    Markdown,
    Terminal,
    /// Highlights source code.
    Code,
}

impl RenderKey {
    /// Returns the key of a language, for its source if a reader asks for that.
    #[must_use]
    pub fn new(language: Language, asks_for_source: bool) -> Self {
        let view = match (asks_for_source, renderer_of(language)) {
            (true, Renderer::Markdown | Renderer::Terminal) => View::Source,
            (true, Renderer::Code) | (false, _) => View::Document,
        };
        Self { language, view }
    }

    /// Returns the key for a reader who asks for lines: only a source has the paste's lines.
    #[must_use]
    pub fn with_lines(self) -> Self {
        Self::new(self.language, true)
    }

    pub(super) fn language(self) -> Language {
        self.language
    }

    pub(super) fn view(self) -> View {
        self.view
    }

    pub(super) fn renderer(self) -> Renderer {
        renderer_of(self.language)
    }

    /// Returns the other view of the same paste, if there is one.
    pub(super) fn alternative_view(self) -> Option<View> {
        match (self.renderer(), self.view) {
            (Renderer::Code, _) => None,
            (Renderer::Markdown | Renderer::Terminal, View::Document) => Some(View::Source),
            (Renderer::Markdown | Renderer::Terminal, View::Source) => Some(View::Document),
        }
    }
}

fn renderer_of(language: Language) -> Renderer {
    match language.name() {
        "markdown" => Renderer::Markdown,
        "ansi" => Renderer::Terminal,
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
}
