//! The index from owners to their pastes.
//!
//! Invariants: it has exactly the stored pastes with an owner. No two have the same place.
//! Cost: a paste without an owner takes nothing here. An insertion, a removal and the start of a page take O(log n).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::paste::{Owned, PasteData, PasteId, TokenHash};
use crate::store::allocation::{allocated, tree_entry, tree_root};

/// An owner, and the place of a paste among all pastes.
type Key = (TokenHash, u64);

const ENTRY: usize = size_of::<(Key, PasteId)>();

/// The pastes of all owners, each owner's in the order in which they were saved.
#[derive(Debug, Default)]
pub(super) struct Owners {
    pastes: BTreeMap<Key, PasteId>,
    /// The place of the next paste.
    next: u64,
}

impl Owners {
    /// Bytes of a paste with an owner: its entry, and the record of the owner in the paste, without its slug.
    pub(super) const COST: usize = tree_entry(ENTRY) + allocated(16 + size_of::<Owned>());

    /// Bytes of the root of the tree, which may be nearly empty.
    pub(super) const ROOT: usize = tree_root(ENTRY);

    /// Lists a new paste, and gives it its place. A paste without an owner stays as it is.
    pub(super) fn insert(&mut self, id: PasteId, mut paste: PasteData) -> PasteData {
        if let Some(owned) = &mut paste.owned {
            self.next += 1;
            // A new paste is not shared, so nothing is copied or freed under the lock.
            let owned = Arc::make_mut(owned);
            owned.place = self.next;
            self.pastes.insert((owned.by, owned.place), id);
        }
        paste
    }

    pub(super) fn remove(&mut self, paste: &PasteData) {
        if let Some(owned) = &paste.owned {
            self.pastes.remove(&(owned.by, owned.place));
        }
    }

    /// Returns the pastes of an owner before this place, with their places, the last first.
    pub(super) fn list(
        &self,
        owner: TokenHash,
        before: Option<u64>,
    ) -> impl Iterator<Item = (u64, PasteId)> {
        let places = (owner, 0)..(owner, before.unwrap_or(u64::MAX));
        let listed = self.pastes.range(places).rev();
        listed.map(|((_, place), id)| (*place, *id))
    }

    /// Returns whether the index is that of these pastes, for a recount.
    pub(super) fn are_of<'a>(
        &self,
        stored: impl Iterator<Item = (PasteId, &'a PasteData)>,
    ) -> bool {
        let entries = stored.filter_map(|(id, paste)| {
            let owned = paste.owned.as_ref()?;
            Some(((owned.by, owned.place), id))
        });
        entries.collect::<BTreeMap<Key, PasteId>>() == self.pastes
    }
}
