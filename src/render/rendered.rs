//! A rendered paste: the part of a paste's page that is slow to make, and the same for all readers at all times.
//!
//! A rendered paste depends only on the paste and the [`RenderKey`]. The comparison of two pastes is rendered as a
//! patch.

use crate::paste::{Language, Paste};
use crate::render::fragment::Fragment;
use crate::render::link_preview;
use crate::render::render_key::{RenderForm, RenderKey};
use crate::render::time_budget::TimeBudget;

/// The rendered form of a paste.
pub struct Rendered {
    pub(crate) fragment: Fragment,
    /// The description that a link preview of the paste shows.
    pub(crate) description: String,
}

impl Rendered {
    /// Renders a paste. The text is checked for UTF-8 once.
    pub fn new(paste: &Paste, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        match (paste.text(), paste.image()) {
            (Some(text), _) => Self {
                fragment: Fragment::of_text(text, key, budget),
                description: link_preview::of_text(text),
            },
            (None, Some(image)) => Self {
                fragment: Fragment::of_image(image),
                description: link_preview::of_bytes(image.format.label(), paste.bytes()),
            },
            (None, None) => Self {
                fragment: Fragment::of_bytes(paste.bytes()),
                description: link_preview::of_bytes("Binary data", paste.bytes()),
            },
        }
    }

    /// Shows a paste at the least cost: a text as plain text.
    pub fn plain(paste: &Paste, key: RenderKey) -> Self {
        match paste.text() {
            Some(text) => Self {
                fragment: Fragment::plain(text, key),
                description: link_preview::of_text(text),
            },
            None => Self::new(paste, key, TimeBudget::until(&|| true)),
        }
    }

    /// Renders a comparison of two texts of this language: a unified diff.
    pub fn of_diff(diff: &str, language: Language, is_split: bool, budget: TimeBudget<'_>) -> Self {
        let key = RenderKey::new(Language::from_name("diff"), false);
        let key = if is_split { key.split() } else { key };
        let form = RenderForm {
            file_language: Some(language),
            ..key.form_of(diff)
        };
        Self {
            fragment: Fragment::of_form(diff, form, budget),
            description: String::new(),
        }
    }

    /// Returns whether rendering the same paste again may give a better page: the time budget ran out. A grammar that
    /// is cached by now is faster the second time.
    pub fn may_improve(&self) -> bool {
        !self.fragment.is_complete
    }

    /// Returns the allocated bytes. This is about the size of the page.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.fragment.memory_size() + self.description.capacity()
    }
}
