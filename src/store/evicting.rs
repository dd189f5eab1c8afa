//! How a tier that keeps a ledger makes room and sweeps: in batches, under its lock.
//!
//! Invariants: expired pastes are removed first, then those that the ledger chooses. A tier cannot read the clock, so a
//! victim may have expired in the present second, which is not swept yet. Then it counts as expired.

use super::Reason;
use super::ledger::Ledger;
use crate::fairness::ClientKey;
use crate::paste::{PasteId, Timestamp};

/// Maximum number of pastes removed while the lock is held once. Together with freeing them, which needs no lock, this
/// takes about a quarter of a millisecond.
pub(super) const BATCH: usize = 256;

/// The state of a tier under its lock. A paste is named as the ledger knows it.
pub(super) trait Evicting {
    /// A removed paste. The caller frees it after it released the lock.
    type Removed;

    fn ledger(&mut self) -> &mut Ledger;

    /// Returns true if a paste of this cost fits, even if it is the first of its client and of its network.
    fn fits(&self, cost: usize) -> bool;

    /// Returns an expired paste that may be removed.
    fn next_expired(&self, now: Timestamp) -> Option<PasteId>;

    fn has_expired(&self, now: Timestamp, id: PasteId) -> bool;

    /// Removes a paste from every index. Returns `None` if there is none with this id.
    fn take(&mut self, now: Timestamp, id: PasteId, reason: Reason) -> Option<Self::Removed>;

    /// Removes pastes, at most a batch, until `cost` more bytes of this client fit. Returns true if they fit now.
    fn make_room(
        &mut self,
        now: Timestamp,
        client: ClientKey,
        cost: usize,
        removed: &mut Vec<Self::Removed>,
    ) -> bool {
        while !self.fits(cost) && removed.len() < BATCH {
            let expired = self.next_expired(now).map(|id| (id, Reason::Expired));
            let next = expired.or_else(|| {
                let victim = self.ledger().next_victim(client, cost)?;
                let reason = match self.has_expired(now, victim) {
                    true => Reason::Expired,
                    false => Reason::Evicted,
                };
                Some((victim, reason))
            });
            let Some(paste) = next.and_then(|(id, reason)| self.take(now, id, reason)) else {
                break;
            };
            removed.push(paste);
        }
        self.fits(cost)
    }

    /// Removes pastes of a network, at most a batch.
    fn remove_of(&mut self, now: Timestamp, network: u64, reason: Reason) -> Vec<Self::Removed> {
        let rows = self.ledger().rows_of(network, BATCH).into_iter();
        let ids: Vec<_> = rows.map(|row| self.ledger().id(row)).collect();
        let removed = ids.into_iter().filter_map(|id| self.take(now, id, reason));
        removed.collect()
    }

    /// Removes expired pastes, at most a batch.
    fn sweep(&mut self, now: Timestamp, removed: &mut Vec<Self::Removed>) {
        while removed.len() < BATCH
            && let Some(id) = self.next_expired(now)
            && let Some(expired) = self.take(now, id, Reason::Expired)
        {
            removed.push(expired);
        }
    }
}
