//! The list of an owner's pastes, one page at a time.
//!
//! Invariants: the newest paste is first. A change keeps a paste at its place. A page follows its cursor even if the
//! paste at the cursor was removed meanwhile, so an owner who deletes page after page meets every paste.
//! Cost: a page looks at no more pastes than it may have, so it may have fewer where some have expired.

use std::sync::Arc;

use crate::detection::outline_of;
use crate::fairness::ClientKey;
use crate::paste::{Listed, OwnerId, PasteData, Slug};

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
            Some(owner) => outlined(paste.with_owner(owner.hash(), self.slug.clone())),
            None => paste,
        }
    }
}

/// Returns the paste with the outline of its content, if it has an owner.
pub(in crate::store) fn outlined(mut paste: PasteData) -> PasteData {
    if let Some(mut owned) = paste.owned.take() {
        Arc::make_mut(&mut owned).outline = outline_of(paste.clone().with_reads(0));
        paste.owned = Some(owned);
    }
    paste
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

/// A page of an owner's list.
#[derive(Debug, Clone, Default)]
pub struct ListPage {
    /// The pastes, the newest first.
    pub pastes: Vec<Listed>,
    /// The cursor of the next page, if there may be one.
    pub next: Option<u64>,
}
