//! A rendered paste: the part of a paste's page that is slow to make, and the same for all readers at all times.
//!
//! A rendered paste depends only on the paste and the [`RenderKey`]. The comparison of two pastes is rendered as a
//! patch.

use crate::detection::Name;
use crate::paste::{Language, Paste, Title};
use crate::render::excerpt::Excerpt;
use crate::render::fragment::{Body, Fragment};
use crate::render::link_preview;
use crate::render::render_key::{Link, RenderForm, RenderKey};
use crate::render::time_budget::TimeBudget;
use crate::render::unsafe_char::without_bom;

/// The rendered form of a paste.
pub struct Rendered {
    pub(crate) fragment: Fragment,
    /// What the text calls the paste, if it is open and has no title.
    pub(crate) name: Option<Name>,
    /// The description that a link preview of the paste shows.
    pub(crate) description: String,
    /// The text, if it is not UTF-8.
    pub(crate) decoded: Option<String>,
}

impl Rendered {
    /// Renders a paste. The text is checked for UTF-8 once.
    pub fn new(paste: &Paste, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        Self::with_links(paste, key, budget, None)
    }

    /// Renders a paste. The relative links of a document lead where `link` says.
    pub(crate) fn with_links(
        paste: &Paste,
        key: RenderKey,
        budget: TimeBudget<'_>,
        link: Option<Link<'_>>,
    ) -> Self {
        Self::of_paste(paste, key, budget, |text: &str, form: RenderForm<'_>| {
            Fragment::of_form(text, RenderForm { link, ..form })
        })
    }

    /// Shows a paste at the least cost: a text as plain text.
    pub fn plain(paste: &Paste, key: RenderKey) -> Self {
        let unlimited = TimeBudget::until(&|| false);
        Self::of_paste(paste, key, unlimited, Fragment::plain)
    }

    /// Renders a text with this function. A text that is not UTF-8 is decoded first.
    fn of_paste(
        paste: &Paste,
        key: RenderKey,
        budget: TimeBudget<'_>,
        render: impl Fn(&str, RenderForm<'_>) -> Fragment,
    ) -> Self {
        let title = paste.title().map(Title::as_str);
        if let Some(whole) = paste.text() {
            let text = without_bom(whole);
            let form = key.form_of(text, title, budget);
            let mut fragment = render(text, form);
            fragment.can_copy &= text.len() == whole.len();
            return Self {
                fragment,
                name: link_preview::name_of(paste, text, form.language),
                description: link_preview::of_text(text),
                decoded: None,
            };
        }
        if let Some(charset) = paste.content().charset() {
            let has_time = || budget.check().is_ok();
            let decoded = charset.decode(paste.bytes(), Excerpt::MAX_BYTES, has_time);
            let form = key.form_of(&decoded.text, title, budget);
            let fragment = render(&decoded.text, form);
            return Self {
                fragment: fragment.with_charset(charset, &decoded, paste.bytes().len()),
                name: link_preview::name_of(paste, &decoded.text, form.language),
                description: link_preview::of_text(&decoded.text),
                decoded: Some(decoded.text),
            };
        }
        let fragment = match paste.content().image() {
            Some(image) => Fragment::new(image.format.label(), Body::Image(image)),
            None => Fragment::of_bytes(paste.bytes()),
        };
        Self {
            name: None,
            description: link_preview::of_bytes(fragment.kind, paste.bytes()),
            fragment,
            decoded: None,
        }
    }

    /// Renders a comparison of two texts of this language: a unified diff.
    pub fn of_diff(diff: &str, language: Language, is_split: bool, budget: TimeBudget<'_>) -> Self {
        let key = RenderKey::new(Language::from_name("diff"), false);
        let key = if is_split { key.split() } else { key };
        let form = RenderForm {
            file_language: Some(language),
            ..key.form_of(diff, None, budget)
        };
        Self {
            fragment: Fragment::of_form(diff, form),
            name: None,
            description: String::new(),
            decoded: None,
        }
    }

    /// Returns whether rendering the same paste again may give a better page: the time budget ran out. A grammar that
    /// is cached by now is faster the second time.
    pub fn may_improve(&self) -> bool {
        !self.fragment.is_complete
    }

    /// Returns about the bytes of the page.
    pub fn size(&self) -> usize {
        self.fragment.body.size() + self.decoded.as_ref().map_or(0, String::len)
    }
}
