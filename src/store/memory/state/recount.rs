//! The recount compares every index with the stored pastes. Only tests call it, since it visits every paste.

use super::{State, cost_of_data};

impl State {
    /// Returns the first fault found in the indexes, or `None` if there is none.
    pub(in crate::store::memory) fn inconsistency(&self) -> Option<&'static str> {
        let in_ledger = self.pastes.iter().map(|(id, entry)| {
            let paste = &entry.paste;
            (entry.row, *id, cost_of_data(paste), paste.deadline())
        });
        if let Some(fault) = self.ledger.inconsistency(in_ledger) {
            return Some(fault);
        }
        let owned = || {
            self.pastes
                .iter()
                .filter_map(|(id, entry)| Some((id, entry.paste.owned.as_ref()?)))
        };
        let checks = [
            (
                owned().all(|(id, owned)| self.owners.find(owned) == Some(*id))
                    && owned().count() == self.owners.len(),
                "an owner's list has other pastes than the store",
            ),
            (
                self.ledger.charged() + self.reserved_room <= self.room,
                "more is charged and reserved than there is room for",
            ),
            (
                self.pastes
                    .keys()
                    .all(|id| self.ledger.reason(*id).is_none()),
                "a paste is both stored and tombstoned",
            ),
            (
                // The marks of removed entries make the reported capacity smaller.
                self.pastes.capacity() <= self.reserved,
                "the table is larger than was reserved",
            ),
        ];
        checks
            .into_iter()
            .find(|(holds, _)| !holds)
            .map(|(_, fault)| fault)
    }
}
