//! Shapes: as what a paste is shown.
//!
//! What it must not know: how that is done.
//! Invariants: two shapes that would look the same are the same, so that each is rendered and kept once.

use crate::paste::Language;

/// As what a paste is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderKey {
    language: Language,
    view: View,
}

/// As what a reader wants to see a paste that describes something else than its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// As what it describes.
    Document,
    /// As what somebody wrote, line by line.
    Source,
}

/// What a language describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A document.
    Markdown,
    /// What a terminal prints.
    Terminal,
    /// Itself.
    Code,
}

impl RenderKey {
    /// Of this language, and of its source where somebody asks for that.
    #[must_use]
    pub fn new(language: Language, asks_for_source: bool) -> Self {
        let view = match (asks_for_source, kind_of(language)) {
            (true, Kind::Markdown | Kind::Terminal) => View::Source,
            (true, Kind::Code) | (false, _) => View::Document,
        };
        Self { language, view }
    }

    /// The same for a reader who asks for lines: only a source has the lines that were written.
    #[must_use]
    pub fn with_lines(self) -> Self {
        match self.kind() {
            Kind::Markdown | Kind::Terminal => Self::new(self.language, true),
            Kind::Code => self,
        }
    }

    pub(crate) fn language(self) -> Language {
        self.language
    }

    pub(crate) fn view(self) -> View {
        self.view
    }

    pub(crate) fn kind(self) -> Kind {
        kind_of(self.language)
    }

    /// As what else it can be shown.
    pub(crate) fn other_view(self) -> Option<View> {
        match (self.kind(), self.view) {
            (Kind::Code, _) => None,
            (Kind::Markdown | Kind::Terminal, View::Document) => Some(View::Source),
            (Kind::Markdown | Kind::Terminal, View::Source) => Some(View::Document),
        }
    }
}

fn kind_of(language: Language) -> Kind {
    match language.name() {
        "markdown" => Kind::Markdown,
        "ansi" => Kind::Terminal,
        _ => Kind::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_look_the_same_are_the_same() {
        let named = |name| Language::named(name).expect("a language");
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
