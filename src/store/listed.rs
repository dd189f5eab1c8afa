//! The list of an owner's pastes, one page at a time.
//!
//! Invariants: the newest paste is first. A change keeps a paste at its place. A page follows its cursor even if the
//! paste at the cursor was removed meanwhile, so an owner who deletes page after page meets every paste.
//! Cost: a page looks at no more pastes than it may have, so it may have fewer where some have expired.

use crate::fairness::ClientKey;
use crate::paste::{
    Access, Deadline, Encoding, Language, OwnerId, PasteData, PasteId, Slug, Timestamp, Title,
};

/// Who saves a paste, and as what.
#[derive(Debug, Clone)]
pub struct Saver {
    /// The client that the size of the paste counts for.
    pub client: ClientKey,
    /// The owner, whose list gets the paste. `None` means that it is in no list.
    pub owner: Option<OwnerId>,
    /// The slug from which the id was made. Only a paste with an owner has one.
    pub slug: Option<Slug>,
}

impl Saver {
    /// Returns the paste with the owner and the slug of its saver.
    pub(in crate::store) fn sign(&self, paste: PasteData) -> PasteData {
        match self.owner {
            Some(owner) => paste.with_owner(owner.hash(), self.slug.clone()),
            None => paste,
        }
    }
}

/// A saver without an owner.
#[cfg(test)]
impl From<ClientKey> for Saver {
    fn from(client: ClientKey) -> Self {
        Self {
            client,
            owner: None,
            slug: None,
        }
    }
}

/// A paste of an owner's list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The id.
    pub id: PasteId,
    /// The slug, if it has one.
    pub slug: Option<Slug>,
    /// The summary of its content.
    pub summary: Summary,
    /// How the content may be read.
    pub access: Access,
    /// When the paste expires.
    pub deadline: Deadline,
    /// How often the paste was read.
    pub reads: u32,
}

/// The summary of a content, for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The title, unless there is none or it is encrypted with the content.
    pub title: Option<Title>,
    /// The language that was named.
    pub language: Option<Language>,
    /// Whether the content is text.
    pub encoding: Encoding,
    /// The bytes of the content as it is stored. Encryption makes it longer.
    pub size: usize,
    /// When the content was saved.
    pub saved: Timestamp,
}

/// A page of an owner's list.
#[derive(Debug, Clone, Default)]
pub struct ListPage {
    /// The pastes, the newest first.
    pub pastes: Vec<Listed>,
    /// The cursor of the next page, if there may be one.
    pub next: Option<u64>,
}

impl Summary {
    pub(in crate::store) fn of(paste: &PasteData) -> Self {
        Self {
            title: paste.title.clone(),
            language: paste.language,
            encoding: paste.encoding,
            size: paste.bytes.len(),
            saved: paste.saved(),
        }
    }
}
