//! The ids of slugs whose pastes ended lately. No other paste gets such an address at once, since links to it
//! are still around.
//!
//! Invariants: an id is reserved for a day. At most [`Reservations::MOST`] are; then the owner with the most loses its
//! oldest one, so an owner who uses many addresses shortens the time of its own ones alone. The address of a paste that
//! the operator removed counts as the operator's, so no owner can bring such an address back early by ending many
//! others.

use crate::fairness::{ClientKey, FairList};
use crate::hidden::Hidden;
use crate::paste::{PasteId, Timestamp};
use crate::store::removal::Reason;

/// An id that is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Reservation {
    /// The id, as the ledger knows it.
    pub(in crate::store) key: PasteId,
    /// A hash of the owner to whose part of the list it counts.
    pub(in crate::store) owner: Hidden<[u8; 16]>,
    /// When the id is free again.
    pub(in crate::store) until: Timestamp,
}

/// The list of reserved ids.
pub(in crate::store) struct Reservations {
    list: FairList<PasteId, Reservation>,
    /// No reservation ends before, so a full list is not searched for ended ones until then.
    earliest: Timestamp,
}

impl Reservations {
    /// The maximum number of reserved ids. They take at most 2 MiB.
    pub(in crate::store) const MOST: usize = 4096;

    /// The owner to whom the addresses count that the operator removed.
    const OPERATOR: [u8; 16] = [0; 16];

    /// How long an id is reserved.
    const DAY_MILLIS: u64 = 86_400_000;

    /// Makes the reservation of an id whose paste ends now for this reason.
    pub(super) fn of(now: Timestamp, key: PasteId, owner: [u8; 16], reason: Reason) -> Reservation {
        let owner = match reason {
            Reason::RemovedByOperator => Self::OPERATOR,
            Reason::Expired | Reason::Burned | Reason::Deleted | Reason::Evicted => owner,
        };
        Reservation {
            key,
            owner: Hidden(owner),
            until: Timestamp::from_millis(now.as_millis() + Self::DAY_MILLIS),
        }
    }

    /// Adds a reservation. Returns those that it replaces or that made room, with the numbers of their rows.
    pub(super) fn insert(
        &mut self,
        seq: u64,
        now: Timestamp,
        new: Reservation,
    ) -> Vec<(u64, Reservation)> {
        let (start, _) = new.owner.split_at(8);
        let owner = ClientKey {
            network: u64::from_be_bytes(start.try_into().unwrap_or_default()),
            client: 0,
        };
        let mut removed = Vec::from_iter(self.list.remove(new.key));
        if self.list.is_full(1) && self.earliest <= now {
            removed.extend(self.list.remove_where(.., |it| it.until <= now));
            let ends = self.list.range(..).map(|(_, _, it)| it.until);
            self.earliest = ends.min().unwrap_or(new.until);
        }
        self.earliest = self.earliest.min(new.until);
        let (_, made_room) = self.list.insert(new.key, seq, (owner, 1), new);
        removed.extend(made_room);
        removed
    }

    pub(super) fn contains(&self, now: Timestamp, key: PasteId) -> bool {
        self.list.get(key).is_some_and(|it| it.until > now)
    }
}

impl Default for Reservations {
    fn default() -> Self {
        Self {
            list: FairList::within(Self::MOST as u64),
            earliest: Timestamp::from_millis(0),
        }
    }
}
