//! The recount compares every index with the stored pastes. Only tests call it, since it visits every paste.

use super::{PasteId, State, cost_of_data};

impl State {
    /// Returns a fault of the indexes, or `None` if there is none.
    pub(in crate::store::memory) fn inconsistency(&self) -> Option<&'static str> {
        let in_ledger = self.pastes.iter().map(|(id, entry)| {
            let paste = &entry.paste;
            (entry.row, *id, cost_of_data(paste), paste.deadline)
        });
        let stored = self.pastes.iter().map(|(id, entry)| (*id, &entry.paste));
        let is_tombstoned = |id: &PasteId| self.ledger.tombstones.find(*id).is_some();
        let fault = self.ledger.inconsistency(in_ledger);
        if fault.is_some() {
            fault
        } else if !self.owners.are_of(stored) {
            Some("an owner's list has other pastes than the store")
        } else if self.ledger.charged() + self.reserved_room > self.room {
            Some("more is charged and reserved than there is room for")
        } else if self.pastes.keys().any(is_tombstoned) {
            Some("a paste is both stored and tombstoned")
        } else {
            // The marks of removed entries make the reported capacity smaller.
            (self.pastes.capacity() > self.reserved)
                .then_some("the table is larger than was reserved")
        }
    }
}
