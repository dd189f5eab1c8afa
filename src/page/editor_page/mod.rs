//! The editor: the form that saves or changes a paste, and the form that shortens a link.
//!
//! The form for a new paste has the fields `content`, `file`, `title`, `lang`, `expires`, `burn` and `password`, and
//! `slug` for those who may choose addresses. The form for a link has `url` and `expires`. The form that changes a
//! paste has no `burn`, and has `password` only for a password-protected paste. If `lang` or `expires` is empty in this
//! form, the paste's value does not change.
//! Invariants: no page contains a password. The server allows every offered lifetime, and the default one is offered.
//! Cost: rendering takes a few µs, and the prefilled text is copied once.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;

use crate::page::message_page::{Piece, pieces};
use crate::page::site::Site;
use crate::page::template;
use crate::paste::{
    Access, Asked, Encryption, Expiry, ExpiryPolicy, IdCodec, Language, LinkTarget, PasteLimits,
    Slug, Title,
};
use crate::render::{Body, Rendered, is_plain, visible};

/// The values that the editor's page shows.
#[derive(Template)]
#[template(path = "editor.html", config = "src/page/askama.toml")]
pub struct EditorPage<'a> {
    /// The server.
    pub site: Arc<Site>,
    /// The paste that the editor changes. `None` saves a new one.
    pub edited: Option<EditedPaste<'a>>,
    /// Whether reading needs a key.
    pub is_private: bool,
    /// Whether the browser keeps a list of the pastes that it saved, because the server has none for it.
    pub lists_recent: bool,
    /// Whether the client may choose the address of a new paste.
    pub slugs: bool,
    /// The limits for pastes: the sizes and lifetimes that the form offers, and whether it may encrypt.
    pub limits: PasteLimits,
    /// The values that the form starts with. `None` leaves the form empty.
    pub prefill: Option<Prefill<'a>>,
    /// How the text differs from the stored one, if the client asked for it.
    pub difference: Option<Rendered>,
    /// The error of the last attempt, if it failed. It may quote the request. Text between backticks is shown as code.
    pub complaint: Option<&'a str>,
}

/// The page that asks for a secret. A script makes the asker's keys.
#[derive(Template)]
#[template(path = "ask.html", config = "src/page/askama.toml")]
pub(crate) struct AskPage<'a> {
    pub(crate) site: &'a Site,
    pub(crate) policy: ExpiryPolicy,
}

/// The stored paste that the editor changes.
#[derive(Clone, Copy)]
pub struct EditedPaste<'a> {
    /// The paste's id.
    pub id: &'a str,
    /// The paste's access. The editor cannot change it.
    pub access: Access,
}

/// The values that the form starts with.
#[derive(Clone, Default)]
pub struct Prefill<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The files, in place of a text: their names, and their bytes in Base64.
    pub files: Vec<(String, String)>,
    /// The title, or an empty string.
    pub title: Cow<'a, str>,
    /// The text's language, if it is known. Of a change, it is preselected if it was chosen.
    pub language: Option<Language>,
    /// The expiry that was chosen.
    pub expiry: Option<Expiry>,
    /// The URL to shorten that was refused, or an empty string.
    pub url: Cow<'a, str>,
    /// The number of views after which a new paste burns.
    pub burn: Option<u8>,
}

impl EditorPage<'_> {
    /// Returns whether the changed paste is encrypted, so that the form must ask for its password.
    fn encrypts(&self) -> bool {
        matches!(self.edited, Some(it) if matches!(it.access, Access::Locked(_)))
    }

    /// Returns whether a new paste may be encrypted in the browser.
    fn may_seal(&self) -> bool {
        self.edited.is_none() && self.limits.encryption != Encryption::Off
    }

    /// Returns whether the editor hides the stored text. The editor hides it if a GET request does not show it either.
    fn hides_text(&self) -> bool {
        self.encrypts() || matches!(self.edited, Some(it) if matches!(it.access, Access::Burn(_)))
    }

    /// Returns whether the editor shows the stored text, and not files.
    fn has_text(&self) -> bool {
        let has_files = self.prefill.as_ref().is_some_and(|it| !it.files.is_empty());
        !self.hides_text() && !has_files
    }

    /// Returns whether every line of the text ends as on Windows. Then what is saved has such line ends, too.
    fn has_windows_ends(&self) -> bool {
        let text = self.prefill.as_ref().map_or("", |it| &it.text);
        let count = |end: &str| text.matches(end).count();
        text.contains('\r') && count("\r\n") == count("\n") && count("\r\n") == count("\r")
    }

    /// Returns the URL of the form for a link, if it was refused. The complaint is then about that form.
    fn refused_url(&self) -> Option<&str> {
        let prefill = self.prefill.as_ref()?;
        (self.site.shortens() && !prefill.url.is_empty()).then_some(&*prefill.url)
    }

    /// Returns whether a link asked for a paste that burns.
    fn burns(&self) -> bool {
        self.prefill.as_ref().is_some_and(|it| it.burn.is_some())
    }

    /// Returns the usual numbers of views to burn after, each with whether it is preselected.
    fn burn_options(&self) -> Vec<(u8, bool)> {
        let preset = self.prefill.as_ref().and_then(|it| it.burn);
        let mut offered: Vec<u8> = [1, 3, 10, 100].into_iter().chain(preset).collect();
        offered.sort_unstable();
        offered.dedup();
        let option = |views| (views, preset == Some(views));
        offered.into_iter().map(option).collect()
    }

    /// Returns whether the form is shown again with what was sent.
    fn is_sent(&self) -> bool {
        self.difference.is_some() || self.complaint.is_some()
    }

    /// Returns the expiry that is preselected. The form that changes a paste preselects none that was not chosen.
    fn expiry(&self) -> Option<Expiry> {
        let chosen = self.prefill.as_ref().and_then(|it| it.expiry);
        let default = self.limits.expiry_policy.default;
        chosen.or(self.edited.is_none().then_some(default))
    }

    /// Returns whether this language is preselected. The form that changes a paste preselects none that was not chosen,
    /// so that the paste's language does not change.
    fn is_selected(&self, language: &Language) -> bool {
        (self.edited.is_none() || self.is_sent())
            && *language != Language::PLAIN
            && self
                .prefill
                .as_ref()
                .is_some_and(|it| it.language == Some(*language))
    }
}

/// Returns the ending of the language's files, unless a search finds the language by its label or its name.
fn ending(language: &Language) -> Option<&'static str> {
    let (ending, label) = (language.extension(), language.label().to_lowercase());
    (!label.contains(ending) && language.name() != ending).then_some(ending)
}

/// Returns the page as HTML.
pub fn editor(page: &EditorPage<'_>) -> String {
    /// Bytes of the options for about 240 languages.
    const LANGUAGES: usize = 8 * 1024;
    let size = |it: &Prefill<'_>| {
        let files = it.files.iter().map(|(_, bytes)| bytes.len());
        it.text.len() + files.sum::<usize>()
    };
    template::write(page, LANGUAGES + page.prefill.as_ref().map_or(0, size))
}

/// An `<option>` of the menu of lifetimes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExpiryOption {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) is_selected: bool,
}

/// Returns the usual lifetimes up to the longest allowed one. The default lifetime and the chosen one are inserted in
/// order.
pub(super) fn expiry_options(policy: ExpiryPolicy, chosen: Option<Expiry>) -> Vec<ExpiryOption> {
    const USUAL: [u64; 6] = [600, 3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400];
    let usual = USUAL.map(|seconds| Expiry::from_seconds(seconds).expect("a usual lifetime"));
    let mut offered: Vec<Expiry> = usual
        .into_iter()
        .chain([Expiry::Never])
        .filter(|expiry| policy.allows(*expiry))
        .chain([policy.default])
        .chain(chosen)
        .collect();
    offered.sort_unstable();
    offered.dedup();
    offered
        .into_iter()
        .map(|expiry| ExpiryOption {
            value: expiry.to_string(),
            label: label(expiry),
            is_selected: chosen == Some(expiry),
        })
        .collect()
}

fn label(expiry: Expiry) -> String {
    match expiry.seconds() {
        Some(_) => format!("in {}", expiry.in_words()),
        None => "never".to_owned(),
    }
}

#[cfg(test)]
mod tests;
