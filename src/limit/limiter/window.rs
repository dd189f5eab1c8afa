//! A sliding window. It records how much of a quota was used in the window of time that ends now.
//!
//! Invariants: The window is divided into slots of a sixtieth of its length, rounded up. The [`SLOTS`] slots always
//! cover the whole length, so no more than the quota is used in **any** window of that length. A used unit counts for
//! at most one slot longer than the length. The total is the sum of the slots. A refund never credits more than was
//! charged.
//! Cost: A window takes 264 bytes. Sliding takes one step for each slot that has passed, at most [`SLOTS`]. Computing a
//! waiting time searches the slots. Every other operation is O(1).
//! Why not a fixed window: A client could use the whole quota at the end of one window and again at the start of the
//! next. It would get twice the quota within a moment, as a test shows.
//! Why not a log of charges: Its size has no bound.

use crate::limit::policy::{Quota, Unit, nanos};

/// The number of slots: 60 that cover the length of the window, and the one that is being filled.
const SLOTS: usize = 61;

/// The maximum that a slot can count.
const SLOT_MAX: u64 = u32::MAX as u64;

/// Records the used part of a quota.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// The number of the newest slot. It contains the time of the last charge or slide.
    newest: u64,
    /// The sum of all slots.
    total: u64,
    /// A ring buffer. Slot number n is stored at index n modulo [`SLOTS`].
    slots: [u32; SLOTS],
}

impl Window {
    /// Creates the window of an unused quota.
    pub(super) fn new(now: u64, quota: &Quota) -> Self {
        Self {
            newest: quota.slot_at(now),
            total: 0,
            slots: [0; SLOTS],
        }
    }

    /// Drops the slots that have left the window by `now`. Returns the sum of the remaining slots.
    pub(super) fn slide(&mut self, now: u64, quota: &Quota) -> u64 {
        let slot = quota.slot_at(now);
        let passed = slot.saturating_sub(self.newest);
        if passed >= SLOTS as u64 {
            self.slots = [0; SLOTS];
            self.total = 0;
        } else {
            for number in self.newest + 1..self.newest + 1 + passed {
                self.total -= u64::from(std::mem::take(&mut self.slots[ring(number)]));
            }
        }
        self.newest = self.newest.max(slot);
        self.total
    }

    /// Checks whether the amount fits into the quota.
    ///
    /// # Errors
    /// Returns an error if the amount does not fit. The error is the number of nanoseconds until it fits, or `None` if
    /// it never does.
    pub(super) fn check(
        &mut self,
        now: u64,
        quota: &Quota,
        limit: u64,
        amount: u64,
    ) -> Result<(), Option<u64>> {
        check_unused(limit, amount)?;
        let missing = (self.slide(now, quota) + amount).saturating_sub(limit);
        if amount == 0 {
            Ok(())
        } else if missing > 0 {
            Err(self.frees_in(now, quota, missing))
        } else if u64::from(self.slots[ring(self.newest)]) + amount > SLOT_MAX {
            // The quota would allow the amount, but the counter of the newest slot would overflow.
            Err(Some(quota.slot_starts_in(self.newest + 1, now)))
        } else {
            Ok(())
        }
    }

    /// Charges the amount, or as much of it as the quota has left.
    pub(super) fn charge(&mut self, now: u64, quota: &Quota, limit: u64, amount: u64) {
        let left = limit.saturating_sub(self.slide(now, quota));
        let slot = &mut self.slots[ring(self.newest)];
        let amount = amount.min(left).min(SLOT_MAX - u64::from(*slot));
        *slot += u32::try_from(amount).expect("no more than the slot has room for");
        self.total += amount;
    }

    /// Subtracts the amount from the slot that it was charged to. Does nothing if that slot has left the window.
    pub(super) fn refund(&mut self, charged_at: u64, quota: &Quota, amount: u64) {
        let number = quota.slot_at(charged_at);
        let counts = number <= self.newest && self.newest - number < SLOTS as u64;
        if !counts {
            return;
        }
        let slot = &mut self.slots[ring(number)];
        let amount = u32::try_from(amount).unwrap_or(u32::MAX).min(*slot);
        *slot -= amount;
        self.total -= u64::from(amount);
    }

    /// Returns the nanoseconds until part of the used amount becomes available again, or zero if nothing was used.
    pub(super) fn more_in(&mut self, now: u64, quota: &Quota) -> u64 {
        self.slide(now, quota);
        self.frees_in(now, quota, 1).unwrap_or(0)
    }

    /// Returns how many nanoseconds the used amount would take to become available again at an even rate. A bucket with
    /// the same figures would refill in this way.
    ///
    /// Returns `None` if the quota is used up. It is used up if no request is left, or less than a sixteenth of the
    /// bytes.
    /// Why an even rate: A slot leaves the window at the same time, whether it counts one unit or all. That time does
    /// not depend on the used amount.
    pub(super) fn full_in_unless_used_up(
        &mut self,
        now: u64,
        quota: &Quota,
        limit: u64,
    ) -> Option<u64> {
        let used = self.slide(now, quota);
        let least = match quota.unit {
            Unit::Requests => 1,
            Unit::Bytes => (limit / 16).max(1),
        };
        if limit.saturating_sub(used) < least {
            return None;
        }
        let evenly = u128::from(used) * u128::from(nanos(quota.window));
        let full_in = u64::try_from(evenly.div_ceil(u128::from(limit)));
        Some(full_in.expect("less than the window, as less than the limit was used"))
    }

    /// Returns the nanoseconds until the oldest slots that together count this amount have left the window. Returns
    /// `None` if all slots together count less.
    fn frees_in(&self, now: u64, quota: &Quota, mut amount: u64) -> Option<u64> {
        let oldest = self.newest.saturating_sub(SLOTS as u64 - 1);
        let last = (oldest..=self.newest).find(|number| {
            amount = amount.saturating_sub(u64::from(self.slots[ring(*number)]));
            amount == 0
        })?;
        Some(quota.slot_starts_in(last.saturating_add(SLOTS as u64), now))
    }
}

/// Does the same as [`Window::check`] for an unused quota.
pub(super) fn check_unused(limit: u64, amount: u64) -> Result<(), Option<u64>> {
    if amount <= limit.min(SLOT_MAX) {
        Ok(())
    } else {
        Err(None)
    }
}

fn ring(number: u64) -> usize {
    usize::try_from(number % SLOTS as u64).expect("less than the number of slots")
}
