//! A change of a stored paste, and the revision that results from it.

use super::{Content, Expiry, Language, Timestamp, Title, TokenHash};

/// A change that the owner asks for. A field that is `None` leaves its part of the paste unchanged.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The save time of the content that the client wants to change. If the paste has other content now, the change
    /// fails. `None` allows any content.
    pub of: Option<Timestamp>,
    /// The token of the paste that is meant. If another paste has its id now, there is no such paste. `None` means any.
    pub token: Option<TokenHash>,
    /// The new content. It is encrypted if the paste is password-protected.
    pub content: Option<Content>,
    /// By default, the title stays as it is.
    pub title: TitleChange,
    /// The new language. `None` keeps the language that was named before. If none was, a new title names it, or else
    /// it is detected.
    pub language: Option<Language>,
    /// The new expiry. It starts at the time of the change.
    pub expiry: Option<Expiry>,
}

/// A change of the title.
#[derive(Debug, Clone, Default)]
pub enum TitleChange {
    /// The title stays as it is.
    #[default]
    Keep,
    /// The title is removed.
    Remove,
    /// The title is replaced by this one.
    Set(Title),
}

impl Change {
    /// Returns true if the change makes a new revision. A change of the expiry alone does not.
    pub(crate) fn makes_revision(&self) -> bool {
        let keeps_title = matches!(self.title, TitleChange::Keep);
        self.content.is_some() || self.language.is_some() || !keeps_title
    }
}

/// Identifies one version of a paste by 64 random bits. Each change of content, title or language makes a new revision.
///
/// Only revisions of the same id are compared. Two versions of one paste have the same revision with a probability of
/// 2⁻⁶⁴.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Revision(u64);

impl Revision {
    /// Makes a revision of these random bytes.
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(random))
    }

    /// Makes a revision of its stored bits.
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the bits to store.
    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}
