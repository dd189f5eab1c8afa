//! The editor: the form that saves or changes a paste, and the form that shortens a link.
//!
//! The form for a new paste has the fields `content`, `file`, `title`, `lang`, `expires`, `burn` and `password`, and
//! `slug` for those who may choose addresses. The form for a link has `url` and `expires`. The form that changes a
//! paste has no `burn`, and has `password` only for a password-protected paste. If `lang` or `expires` is empty in this
//! form, the paste's value does not change.
//! Invariants: no page contains a password.
//! Cost: rendering takes a few µs, and the prefilled text is copied once.

mod editor_mode;
mod expiry_option;

use std::borrow::Cow;

use askama::Template;

pub use self::editor_mode::EditorMode;
pub(super) use self::expiry_option::{ExpiryOption, expiry_options};
use crate::page::message_page::{Piece, pieces};
use crate::page::template;
use crate::paste::{Expiry, IdCodec, Language, Slug, Title};
use crate::render::{is_plain, visible};

/// The values that the editor's page shows.
pub struct EditorPage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: Cow<'a, str>,
    /// The task of the editor: to save a new paste or to change a stored one.
    pub mode: EditorMode<'a>,
    /// Whether the server shortens links.
    pub links: bool,
    /// Whether reading needs a key.
    pub is_private: bool,
    /// Whether the browser keeps a list of the pastes that it saved, because the server has none for it.
    pub lists_recent: bool,
    /// Whether the client may choose the address of a new paste.
    pub slugs: bool,
    /// Whether the server shows images, so that the editor shows a chosen one.
    pub images: bool,
    /// The maximum size of the content in words: `1 MiB`.
    pub max_size: Cow<'a, str>,
    /// The maximum size of the content in bytes.
    pub max_bytes: usize,
    /// The lifetime that is selected for a new paste.
    pub default_expiry: Expiry,
    /// The longest lifetime that the server allows.
    pub longest_expiry: Expiry,
    /// The values that the form starts with. `None` leaves the form empty.
    pub prefill: Option<Prefill<'a>>,
    /// The error of the last attempt, if it failed. It may quote the request. Text between backticks is shown as code.
    pub complaint: Option<&'a str>,
}

/// The values that the form starts with.
#[derive(Clone, Copy)]
pub struct Prefill<'a> {
    /// The text.
    pub text: &'a str,
    /// The title, or an empty string.
    pub title: &'a str,
    /// The text's language.
    pub language: Language,
}

#[derive(Template)]
#[template(path = "editor.html", config = "src/page/askama.toml")]
struct EditorTemplate<'a> {
    base_path: &'a str,
    page: &'a EditorPage<'a>,
    is_new: bool,
    /// The URL path to which the form is posted.
    action: String,
    expiry_options: Vec<ExpiryOption>,
    longest_password: usize,
    longest_link: usize,
    longest_title: usize,
    text: &'a str,
    title: &'a str,
    language: Language,
    complaint: Option<Vec<Piece<'a>>>,
    /// Whether a text field shows every character of the text and does not change any.
    is_plain: bool,
}

impl EditorTemplate<'_> {
    /// Returns whether this language is preselected. The form that changes a paste preselects none, so that the paste's
    /// language does not change.
    fn is_selected(&self, language: &Language) -> bool {
        self.is_new && *language == self.language && *language != Language::PLAIN
    }
}

/// Returns the page as HTML.
pub fn editor(page: &EditorPage<'_>) -> String {
    /// Bytes of the options for about 240 languages.
    const LANGUAGES: usize = 8 * 1024;
    const LONGEST_PASSWORD: usize = 1024;
    const LONGEST_LINK: usize = 4096;
    let is_new = page.mode.is_new();
    let complaint = page.complaint.map(visible);
    let template = EditorTemplate {
        base_path: &page.base_path,
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
        complaint: complaint.as_deref().map(pieces),
        is_plain: page.prefill.is_none_or(|prefill| is_plain(prefill.text)),
    };
    template::write(&template, LANGUAGES + template.text.len())
}

#[cfg(test)]
mod tests;
