//! A sliding window: how much of a quota was used in any stretch of its length.
//!
//! What it must not know: the clock, whose window it is, whether it counts requests or bytes.
//! Invariants: 61 slots of a sixtieth of the length, rounded up, always cover the whole length: never more than the
//! quota in **any** window of it. A unit counts for at most one slot longer than the length. The total is the sum of
//! the slots. Giving back never credits what was not charged.
//! Cost: 264 bytes; sliding is one step a slot that passed, at most 61; everything else but the waiting time is O(1).
//! Why not a fixed window: whoever spends the quota at its end and again at the start of the next has twice the quota
//! within a moment; a test shows it. Why not a log of charges: it has no bound.

use std::time::Duration;

use super::{Multiplier, Tier, nanos};

/// Slots that cover the length together, and one that is being filled.
const SLOTS: usize = 61;

/// What a quota counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Requests.
    Requests,
    /// Bytes of content.
    Bytes,
}

/// So many requests or bytes in any window of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    most: u64,
    unit: Unit,
    window: Duration,
    /// The length of a slot in nanoseconds.
    slot: u64,
}

impl Quota {
    /// At most `most` of the unit in any `window`. None if either is zero, or the window longer than 64 bits of
    /// nanoseconds.
    #[must_use]
    pub fn new(most: u64, unit: Unit, window: Duration) -> Option<Self> {
        let nanoseconds = u64::try_from(window.as_nanos()).ok()?;
        (most > 0 && nanoseconds > 0).then_some(Self {
            most,
            unit,
            window,
            slot: nanoseconds.div_ceil(60),
        })
    }

    /// How much there is in any window.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    /// What it counts.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The length of the window.
    #[must_use]
    pub fn window(&self) -> Duration {
        self.window
    }

    /// How much an entry of this tier has in any window, with this factor.
    pub(super) fn scaled_limit(&self, tier: Tier, multiplier: Multiplier) -> u64 {
        self.most
            .saturating_mul(tier.factor() * u64::from(multiplier))
    }

    /// The number of the slot that this moment falls into.
    pub(super) fn slot_of(&self, now: u64) -> u64 {
        now / self.slot
    }

    /// The same, if it is most likely this one: a multiplication then does for a division.
    fn slot_likely(&self, likely: u64, now: u64) -> u64 {
        let begun = now.checked_sub(likely.saturating_mul(self.slot));
        match begun {
            Some(elapsed) if elapsed < self.slot => likely,
            Some(_) | None => self.slot_of(now),
        }
    }

    /// Nanoseconds from now until a unit of this slot no longer counts.
    fn leaves_in(&self, slot: u64, now: u64) -> u64 {
        self.starts_in(slot.saturating_add(SLOTS as u64), now)
    }

    fn starts_in(&self, slot: u64, now: u64) -> u64 {
        slot.saturating_mul(self.slot).saturating_sub(now)
    }
}

/// What was used of a quota.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// The slot of the last charge or slide.
    newest: u64,
    /// The sum of the slots.
    total: u64,
    /// A ring: the slot of number n is at n modulo their count.
    slots: [u32; SLOTS],
}

impl Window {
    /// An unused one.
    pub(super) fn new(now: u64, quota: &Quota) -> Self {
        Self {
            newest: quota.slot_of(now),
            total: 0,
            slots: [0; SLOTS],
        }
    }

    /// Forgets the slots that left the window by now, and says what the others have.
    pub(super) fn slide(&mut self, now: u64, quota: &Quota) -> u64 {
        let slot = quota.slot_likely(self.newest, now);
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

    /// Whether the amount fits.
    pub(super) fn fits(&mut self, now: u64, quota: &Quota, limit: u64, amount: u64) -> bool {
        let used = self.slide(now, quota);
        amount <= limit.saturating_sub(used) && self.fits_slot(amount)
    }

    /// After how many nanoseconds an amount fits that does not fit now; none if it never can.
    pub(super) fn fits_in(
        &mut self,
        now: u64,
        quota: &Quota,
        limit: u64,
        amount: u64,
    ) -> Option<u64> {
        if amount > limit || amount > u64::from(u32::MAX) {
            return None;
        }
        let mut missing = (self.slide(now, quota) + amount).saturating_sub(limit);
        if missing == 0 {
            // The quota has room, the slot has not.
            return Some(quota.starts_in(self.newest + 1, now));
        }
        self.oldest_first().find_map(|number| {
            missing = missing.saturating_sub(u64::from(self.slots[ring(number)]));
            (missing == 0).then(|| quota.leaves_in(number, now))
        })
    }

    /// Charges the amount, or what the quota has left of it.
    pub(super) fn charge(&mut self, now: u64, quota: &Quota, limit: u64, amount: u64) {
        let left = limit.saturating_sub(self.slide(now, quota));
        let slot = &mut self.slots[ring(self.newest)];
        let amount = amount.min(left).min(u64::from(u32::MAX - *slot));
        *slot += u32::try_from(amount).unwrap_or(u32::MAX);
        self.total += amount;
    }

    /// Takes the amount out of the slot that it was charged to, if that still counts.
    pub(super) fn refund(&mut self, charged_at: u64, quota: &Quota, amount: u64) {
        let number = quota.slot_of(charged_at);
        let counts = number <= self.newest && self.newest - number < SLOTS as u64;
        if !counts {
            return;
        }
        let slot = &mut self.slots[ring(number)];
        let amount = u32::try_from(amount).unwrap_or(u32::MAX).min(*slot);
        *slot -= amount;
        self.total -= u64::from(amount);
    }

    /// Nanoseconds until some of what was used comes back; zero if nothing was used.
    pub(super) fn more_in(&mut self, now: u64, quota: &Quota) -> u64 {
        self.slide(now, quota);
        self.oldest_first()
            .find(|number| self.slots[ring(*number)] > 0)
            .map_or(0, |number| quota.leaves_in(number, now))
    }

    /// Nanoseconds until what was used would be back if it came back evenly, as it does to a bucket of the same
    /// figures; none if the quota is used up: of requests all of them, of bytes all but less than a sixteenth. The time
    /// when its last slot leaves would say nothing about how much was used: it is the same for one unit and for all.
    pub(super) fn full_in_unless_used_up(
        &self,
        now: u64,
        quota: &Quota,
        limit: u64,
    ) -> Option<u64> {
        let used = self.total - self.left_by(now, quota);
        let least = match quota.unit() {
            Unit::Requests => 1,
            Unit::Bytes => (limit / 16).max(1),
        };
        if limit.saturating_sub(used) < least {
            return None;
        }
        let evenly = u128::from(used) * u128::from(nanos(quota.window));
        Some(u64::try_from(evenly.div_ceil(u128::from(limit))).unwrap_or(u64::MAX))
    }

    /// How much of the total is in slots that left the window by now.
    fn left_by(&self, now: u64, quota: &Quota) -> u64 {
        let slot = quota.slot_likely(self.newest, now);
        match slot.saturating_sub(self.newest) {
            passed if passed >= SLOTS as u64 => self.total,
            passed => (self.newest + 1..self.newest + 1 + passed)
                .map(|number| u64::from(self.slots[ring(number)]))
                .sum(),
        }
    }

    fn fits_slot(&self, amount: u64) -> bool {
        amount <= u64::from(u32::MAX - self.slots[ring(self.newest)])
    }

    /// The numbers of the slots that count, those before the beginning of time left out.
    fn oldest_first(&self) -> impl DoubleEndedIterator<Item = u64> + use<> {
        self.newest.saturating_sub(SLOTS as u64 - 1)..=self.newest
    }
}

fn ring(number: u64) -> usize {
    usize::try_from(number % SLOTS as u64).unwrap_or(0)
}
