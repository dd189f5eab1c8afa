//! A rendered paste: the part of a paste's page that is slow to make, and the same for all readers at all times.
//!
//! A rendered paste depends only on the paste and the [`RenderKey`]. The comparison of two pastes is rendered as a
//! patch.

use crate::detection::Name;
use crate::paste::{Archive, Language, Paste, Title};
use crate::render::excerpt::Excerpt;
use crate::render::files;
use crate::render::fragment::Fragment;
use crate::render::link_preview;
use crate::render::neighbours::Neighbours;
use crate::render::render_key::{RenderForm, RenderKey};
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
    /// Renders a paste. The text is checked for UTF-8 once. An archive is shown as its files, whatever the key says.
    pub fn new(paste: &Paste, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        match paste.archive() {
            Some(Ok(archive)) => Self::of_archive(paste, &archive, Some(budget)),
            Some(Err(error)) => {
                let note = format!("This archive is not shown as files: {error}.");
                let whole = Self::of_one(paste, key, budget);
                Self {
                    fragment: whole.fragment.with_note(&note),
                    ..whole
                }
            }
            None => Self::of_one(paste, key, budget),
        }
    }

    /// Renders a paste that is not shown as files.
    fn of_one(paste: &Paste, key: RenderKey, budget: TimeBudget<'_>) -> Self {
        let render = |text: &str, form: RenderForm<'_>| Fragment::of_form(text, form, budget);
        Self::of_paste(paste, key, budget, render)
    }

    /// Shows a paste at the least cost: a text as plain text.
    pub fn plain(paste: &Paste, key: RenderKey) -> Self {
        if let Some(Ok(archive)) = paste.archive() {
            return Self::of_archive(paste, &archive, None);
        }
        let unlimited = TimeBudget::until(&|| false);
        Self::of_paste(paste, key, unlimited, Fragment::plain)
    }

    /// Shows the files of an archive. Without a budget, all of them are links.
    fn of_archive(paste: &Paste, archive: &Archive<'_>, budget: Option<TimeBudget<'_>>) -> Self {
        let file = |file: &Paste, neighbours: Neighbours<'_>| {
            let budget = budget.filter(|budget| budget.check().is_ok())?;
            let neighbours = Some(neighbours);
            let render = |text: &str, form: RenderForm<'_>| {
                Fragment::of_form(text, RenderForm { neighbours, ..form }, budget)
            };
            let key = RenderKey::new(file.named_language(), false);
            Some(Self::of_paste(file, key, budget, render).fragment)
        };
        Self {
            fragment: files::fragment(files::files(paste, archive, file), budget),
            name: link_preview::name_of_archive(paste, archive),
            description: link_preview::of_text(&archive.names()),
            decoded: None,
        }
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
            let form = key.form_of(text, title);
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
            let form = key.form_of(&decoded.text, title);
            let fragment = render(&decoded.text, form);
            return Self {
                fragment: fragment.with_charset(charset, &decoded, paste.bytes().len()),
                name: link_preview::name_of(paste, &decoded.text, form.language),
                description: link_preview::of_text(&decoded.text),
                decoded: Some(decoded.text),
            };
        }
        let (fragment, kind) = match paste.content().image() {
            Some(image) => (Fragment::of_image(image), image.format.label()),
            None => (Fragment::of_bytes(paste.bytes()), "Binary data"),
        };
        Self {
            fragment,
            name: None,
            description: link_preview::of_bytes(kind, paste.bytes()),
            decoded: None,
        }
    }

    /// Renders a comparison of two texts of this language: a unified diff.
    pub fn of_diff(diff: &str, language: Language, is_split: bool, budget: TimeBudget<'_>) -> Self {
        let key = RenderKey::new(Language::from_name("diff"), false);
        let key = if is_split { key.split() } else { key };
        let form = RenderForm {
            file_language: Some(language),
            ..key.form_of(diff, None)
        };
        Self {
            fragment: Fragment::of_form(diff, form, budget),
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
