//! The recount compares the ledger with the stored pastes. Only tests call it, since it visits every paste.

use std::collections::{BTreeSet, HashMap};

use super::{Deadlines, Ledger, slab};
use crate::paste::{Deadline, PasteId};

impl Ledger {
    /// Compares the ledger with the stored pastes: their row, id, cost and deadline, from the least to the most
    /// recently used. Returns the first fault, or `None` if there is none.
    pub(in crate::store) fn inconsistency(
        &self,
        stored: impl Iterator<Item = (u32, PasteId, usize, Deadline)>,
    ) -> Option<&'static str> {
        let mut clients: HashMap<u32, (u64, Vec<u32>)> = HashMap::new();
        let (mut rows, mut finite) = (BTreeSet::new(), 0);
        for (row, id, cost, deadline) in stored {
            let known = &self.rows[row];
            let second = Deadlines::second_of(deadline);
            if (known.id(), known.cost as usize, known.second) != (id, cost, second) {
                return Some("a row is that of another paste");
            }
            let (weight, listed) = clients.entry(known.account).or_default();
            *weight += u64::from(known.cost);
            listed.push(row);
            finite += usize::from(second != slab::NONE);
            rows.insert(row);
        }
        for (client, weight, rank, number) in self.shares.all() {
            let account = &self.accounts[number];
            let Some((cost, listed)) = clients.get(&number) else {
                return Some("a client without a paste has a share");
            };
            if rank < self.rows[account.pastes.first].rank() {
                return Some("a share has the rank of a later use than that of the oldest paste");
            }
            if (account.client, *cost) != (client, weight) {
                return Some("a client does not hold what its pastes cost");
            }
            if account.pastes.recount(&self.rows).as_ref() != Some(listed) {
                return Some("a client's pastes are not in the order of their use");
            }
        }
        let checks = [
            (
                rows.len() == self.rows.len(),
                "a paste has no row, or a row no paste",
            ),
            (
                clients.len() == self.shares.client_count(),
                "a client with a paste has no share",
            ),
            (
                clients.len() == self.accounts.len(),
                "a client without a paste has an account",
            ),
            (
                self.deadlines.recount(&self.rows) == Some(finite),
                "a deadline is not in the list of its second",
            ),
        ];
        let wrong = checks.into_iter().find(|(holds, _)| !holds);
        wrong.map(|(_, fault)| fault)
    }
}
