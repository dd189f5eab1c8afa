//! A change of a stored paste, and the revision that it makes.

use super::{Content, Expiry, Language, Timestamp, Title};

/// A change that the owner asks for. What is `None` stays as it is.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Which content may be changed: the one saved at this time. `None` means any.
    pub of: Option<Timestamp>,
    /// The new content, encrypted if the old content is.
    pub content: Option<Content>,
    /// What happens to the title.
    pub title: TitleChange,
    /// The new language.
    pub language: Option<Language>,
    /// The new expiry, counted from now.
    pub expiry: Option<Expiry>,
}

/// What happens to a title.
#[derive(Debug, Clone, Default)]
pub enum TitleChange {
    /// The title stays as it is.
    #[default]
    Stays,
    /// The title is removed.
    Goes,
    /// This is the new title.
    Is(Title),
}

impl Change {
    /// Returns whether the change makes another revision: it does unless it changes the expiry alone.
    pub(super) fn makes_revision(&self) -> bool {
        let title_stays = matches!(self.title, TitleChange::Stays);
        self.content.is_some() || self.language.is_some() || !title_stays
    }
}

/// The name of one version of a paste: 64 random bits, new with every change of content, title or language.
///
/// Revisions are compared only under the same id. Two versions of one paste have the same revision with a probability
/// of 2⁻⁶⁴.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Revision(u64);

impl Revision {
    /// The revision made of these random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(random))
    }
}
