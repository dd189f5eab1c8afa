//! The recount: every index compared with what is kept.
//!
//! Cost: walks everything, so it is for tests.

use super::{State, cost_of_data};

impl State {
    /// The first thing that is wrong with the indexes, if anything is.
    pub(in crate::store) fn inconsistency(&self) -> Option<&'static str> {
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
                "what is charged is not the sum of the costs",
            ),
            (
                self.charged() + self.claimed <= self.room,
                "more is charged and claimed than there is room for",
            ),
            (
                self.deadlines.len() == finite().count(),
                "the deadlines are not as many as the pastes that have one",
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
                "a paste is both kept and buried",
            ),
            (
                // Less, by the marks of what went.
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
