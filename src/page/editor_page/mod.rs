//! The editor: the form that saves or changes a paste, and the form that shortens a link.
//!
//! The fields of a new paste are `content`, `file`, `title`, `lang`, `expires`, `burn` and `password`; those of a link
//! are `url` and `expires`. A change has no `burn`, and a `password` only for a locked paste; an empty `lang` or
//! `expires` leaves the paste's as it is.
//! Invariants: no page contains a password.
//! Cost: a few µs, and a copy of the prefilled text.

mod editor_mode;
mod expiry_option;

use std::fmt;

use askama::Template;

pub use self::editor_mode::EditorMode;
use self::expiry_option::{ExpiryOption, expiry_options};
use crate::page::template;
use crate::paste::{Expiry, Language, Title};
use crate::render::is_plain;

/// The values of the editor's page.
#[derive(Debug, Clone, Copy)]
pub struct EditorPage<'a> {
    /// Whether it saves a new paste or changes one.
    pub mode: EditorMode<'a>,
    /// Whether the server shortens links.
    pub links: bool,
    /// The largest content in words: `1 MiB`.
    pub max_size: &'a str,
    /// The largest content in bytes.
    pub max_bytes: usize,
    /// The lifetime that is selected for a new paste.
    pub default_expiry: Expiry,
    /// The longest lifetime.
    pub longest_expiry: Expiry,
    /// Values that the form starts with.
    pub prefill: Option<Prefill<'a>>,
}

/// Values that the form starts with.
#[derive(Clone, Copy)]
pub struct Prefill<'a> {
    /// The text.
    pub text: &'a str,
    /// The title, or an empty string.
    pub title: &'a str,
    /// The text's language.
    pub language: Language,
}

/// Texts of users are not logged.
impl fmt::Debug for Prefill<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prefill(secret)")
    }
}

#[derive(Template)]
#[template(path = "editor.html", config = "src/page/askama.toml")]
struct EditorTemplate<'a> {
    page: &'a EditorPage<'a>,
    is_new: bool,
    /// The path that the form posts to.
    action: String,
    expiry_options: Vec<ExpiryOption>,
    longest_password: usize,
    longest_link: usize,
    longest_title: usize,
    text: &'a str,
    title: &'a str,
    language: Language,
    /// Whether the form shows every character of the text and does not change it.
    is_plain: bool,
}

impl EditorTemplate<'_> {
    /// Returns whether a language is preselected. For a change none is, which keeps the paste's.
    fn is_selected(&self, language: &Language) -> bool {
        self.is_new && *language == self.language && *language != Language::PLAIN
    }
}

/// Returns the page as HTML.
#[must_use]
pub fn editor(page: &EditorPage<'_>) -> String {
    /// Bytes of the options for about 240 languages.
    const LANGUAGES: usize = 8 * 1024;
    const LONGEST_PASSWORD: usize = 1024;
    const LONGEST_LINK: usize = 4096;
    let is_new = page.mode.is_new();
    let template = EditorTemplate {
        page,
        is_new,
        action: page.mode.action(),
        expiry_options: expiry_options(page.default_expiry, page.longest_expiry, is_new),
        longest_password: LONGEST_PASSWORD,
        longest_link: LONGEST_LINK,
        longest_title: Title::MAX_CHARS,
        text: page.prefill.map_or("", |prefill| prefill.text),
        title: page.prefill.map_or("", |prefill| prefill.title),
        language: page
            .prefill
            .map_or(Language::PLAIN, |prefill| prefill.language),
        is_plain: page.prefill.is_none_or(|prefill| is_plain(prefill.text)),
    };
    template::write(&template, LANGUAGES + template.text.len())
}

#[cfg(test)]
mod tests;
