//! The recount compares every index with the stored pastes. Only tests call it, since it visits every paste.

use super::{State, cost_of_data};

impl State {
    /// Returns the first fault found in the indexes, or `None` if there is none.
    pub(in crate::store::memory) fn inconsistency(&self) -> Option<&'static str> {
        let finite = || {
            self.pastes
                .iter()
                .filter(|(_, entry)| entry.paste.deadline().timestamp().is_some())
        };
        let costs = || self.pastes.values().map(|entry| cost_of_data(&entry.paste));
        let in_ledger = self.pastes.iter().zip(costs());
        let in_ledger = in_ledger.map(|((id, entry), cost)| (entry.row, (*id, cost)));
        if let Some(fault) = self.ledger.inconsistency(&in_ledger.collect()) {
            return Some(fault);
        }
        let checks = [
            (
                self.used == costs().sum::<usize>(),
                "the charge is not the sum of the costs",
            ),
            (
                self.charged() + self.claimed <= self.room,
                "more is charged and claimed than there is room for",
            ),
            (
                self.deadlines.len() == finite().count(),
                "there are not as many deadlines as pastes that expire",
            ),
            (
                finite().all(|(id, entry)| {
                    let deadline = entry.paste.deadline();
                    self.deadlines.contains_key(&(deadline, *id))
                }),
                "a paste's deadline is not indexed",
            ),
            (
                self.pastes
                    .keys()
                    .all(|id| self.tombstones.find(*id).is_none()),
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
