//! The recount makes a ledger of the stored pastes, and compares it with the one in use. Only tests call it, since it
//! visits every paste.

use super::{Deadlines, Ledger};
use crate::paste::{Deadline, PasteId, Timestamp};

impl Ledger {
    /// Compares the ledger with the stored pastes: their row, id, cost and deadline, from the least to the most
    /// recently used. Returns a fault, or `None` if there is none.
    pub(in crate::store) fn inconsistency(
        &self,
        stored: impl Iterator<Item = (u32, PasteId, usize, Deadline)>,
    ) -> Option<&'static str> {
        let mut made = Self::reserved_for(self.len(), 0);
        for (row, id, cost, deadline) in stored {
            let known = (self.id(row), self.cost(row), self.rows[row].second);
            let is_known = known == (id, cost, Deadlines::second_of(deadline));
            if !is_known || made.len() == self.len() {
                return Some("a row is that of another paste");
            }
            made.insert(self.client(row), id, cost, deadline, Timestamp::default());
        }
        (self.recounted() != made.recounted())
            .then_some("a share, the order of use or a deadline is not that of the pastes")
    }

    /// Returns the numbers of entries, and the share of each client with its pastes in their order. There are no shares
    /// if one has the rank of a later use than that of the client's oldest paste.
    fn recounted(&self) -> impl PartialEq + use<> {
        let shares = self.shares.all().map(|(client, weight, rank, number)| {
            let account = &self.accounts[number];
            let pastes = account.pastes.recount(&self.rows)?;
            let is_in_order = rank >= self.rows[account.pastes.first].rank();
            let is_counted = account.count as usize == pastes.len();
            let ids = pastes.into_iter().map(|row| self.id(row));
            (is_in_order && is_counted && account.client == client)
                .then(|| (client, weight, ids.collect::<Vec<_>>()))
        });
        let due = self.deadlines.recount(&self.rows);
        let counts = (self.len(), self.accounts.len(), due);
        (counts, shares.collect::<Option<Vec<_>>>())
    }
}
