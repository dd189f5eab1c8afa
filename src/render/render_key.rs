//! Render keys: identify the forms in which a paste can be rendered.
//!
//! Invariants: two keys that would produce the same fragment are equal. So each fragment is rendered and cached only
//! once.

use crate::paste::Language;

/// The form in which a paste is rendered: its language and its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderKey {
    language: Language,
    view: View,
}

/// The view of a paste: its rendered document or its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The rendered document. Languages that cannot be rendered as a document have only this view.
    Document,
    /// The source, line by line.
    Source,
}

/// The renderer that a language needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Renderer {
    Markdown,
    Terminal,
    /// The renderer highlights source code.
    Code,
}

impl RenderKey {
    /// Returns the key of a language. The key is for the source if a reader asks for the source.
    #[must_use]
    pub fn new(language: Language, asks_for_source: bool) -> Self {
        let view = match (asks_for_source, renderer_of(language)) {
            (true, Renderer::Markdown | Renderer::Terminal) => View::Source,
            (true, Renderer::Code) | (false, _) => View::Document,
        };
        Self { language, view }
    }

    /// Returns the key for a reader who asks for certain lines: that of the source, which alone has the paste's line
    /// numbers.
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

    /// Returns the other view of the same paste. Returns `None` if there is only one view.
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
