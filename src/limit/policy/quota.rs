//! A quota. It allows a number of requests or bytes in any window of time of a fixed length. Windows are divided into
//! slots.

use std::time::Duration;

use super::{Multiplier, Tier};

/// The number of slots that together cover the length of a window.
const SLOTS_OF_WINDOW: u64 = 60;

/// The unit that a quota counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The quota counts requests.
    Requests,
    /// The quota counts bytes of content.
    Bytes,
}

/// An amount that may be used in any window of a fixed length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The amount for a client without a multiplier.
    pub limit: u64,
    /// What it counts.
    pub unit: Unit,
    /// The length of the window.
    pub window: Duration,
    /// The length of a slot in nanoseconds, rounded up.
    slot: u64,
}

impl Quota {
    /// Creates a quota of at most `limit` units in any `window`. Returns `None` if either is zero, or if the window in
    /// nanoseconds does not fit into 64 bits.
    pub fn new(limit: u64, unit: Unit, window: Duration) -> Option<Self> {
        let nanoseconds = u64::try_from(window.as_nanos()).ok()?;
        (limit > 0 && nanoseconds > 0).then_some(Self {
            limit,
            unit,
            window,
            slot: nanoseconds.div_ceil(SLOTS_OF_WINDOW),
        })
    }

    /// Returns the amount for an entry of this tier with this multiplier.
    pub(in crate::limit) fn scaled_limit(&self, tier: Tier, multiplier: Multiplier) -> u64 {
        self.limit
            .saturating_mul(tier.factor() * u64::from(multiplier))
    }

    /// Returns the number of the slot that contains the time `now`, which is in nanoseconds.
    pub(in crate::limit) fn slot_at(&self, now: u64) -> u64 {
        now / self.slot
    }

    /// Returns the nanoseconds from `now` until the slot with this number starts. Returns zero if it has already
    /// started.
    pub(in crate::limit) fn slot_starts_in(&self, slot: u64, now: u64) -> u64 {
        slot.saturating_mul(self.slot).saturating_sub(now)
    }
}
