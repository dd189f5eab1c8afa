//! A quota: an amount of requests or bytes in any window of a length, which is divided into slots.

use std::time::Duration;

use super::{Multiplier, Tier};

/// Slots that together cover the length of a window.
const SLOTS_OF_WINDOW: u64 = 60;

/// What a quota counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Requests.
    Requests,
    /// Bytes of content.
    Bytes,
}

/// An amount that may be used in any window of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    limit: u64,
    unit: Unit,
    window: Duration,
    /// The length of a slot in nanoseconds, rounded up.
    slot: u64,
}

impl Quota {
    /// At most `limit` of the unit in any `window`. Returns `None` if either is zero, or if the nanoseconds of the
    /// window do not fit 64 bits.
    #[must_use]
    pub fn new(limit: u64, unit: Unit, window: Duration) -> Option<Self> {
        let nanoseconds = u64::try_from(window.as_nanos()).ok()?;
        (limit > 0 && nanoseconds > 0).then_some(Self {
            limit,
            unit,
            window,
            slot: nanoseconds.div_ceil(SLOTS_OF_WINDOW),
        })
    }

    /// The amount for a client without a multiplier.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// What is counted.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The length of the window.
    #[must_use]
    pub fn window(&self) -> Duration {
        self.window
    }

    /// The amount for an entry of this tier with this multiplier.
    pub(in crate::limit) fn scaled_limit(&self, tier: Tier, multiplier: Multiplier) -> u64 {
        self.limit
            .saturating_mul(tier.factor() * u64::from(multiplier))
    }

    /// The number of the slot that contains `now`, in nanoseconds.
    pub(in crate::limit) fn slot_at(&self, now: u64) -> u64 {
        now / self.slot
    }

    /// Nanoseconds from `now` until the slot of this number starts; zero if it has started.
    pub(in crate::limit) fn slot_starts_in(&self, slot: u64, now: u64) -> u64 {
        slot.saturating_mul(self.slot).saturating_sub(now)
    }
}
