//! Requests and bytes in one number, so that one addition counts both.
//!
//! ```text
//! 62          bits        0
//! [ requests ][   bytes   ]     a request is 1 << bits, and bytes are counted in units
//! ```
//!
//! Invariant: no limit that can be set makes one part overflow into the other: each has room for twice what the rules
//! admit to a network with the largest factor. If both do not fit otherwise, the unit has several bytes.

use crate::limit::policy::{Multiplier, NETWORK_FACTOR, Unit};

/// The bits of both parts together.
const BITS: u32 = 62;

/// The most requests and bytes that are counted exactly. No network sends more in a period.
const MOST: [u128; 2] = [1 << 40, 1 << 60];

/// Where both parts are.
pub(super) struct Packing {
    counts_requests: bool,
    /// The bits of the bytes. Zero if they are not counted.
    bits: u32,
    /// How far bytes are shifted to be units.
    shift: u32,
}

impl Packing {
    /// `requests` and `bytes` are the most that a client may use in a period, `None` without such a rule.
    pub(super) fn new(requests: Option<u128>, bytes: Option<u128>) -> Self {
        let factor = u128::from(NETWORK_FACTOR * u64::from(Multiplier::MAX));
        let bits = |most: Option<u128>, cap, more| {
            let most = most?.saturating_mul(factor).min(cap);
            Some(u128::BITS - most.leading_zeros() + more)
        };
        // One bit more for twice as much, and one for the sign of a difference of bytes.
        let of_requests = bits(requests, MOST[0], 1).unwrap_or(0);
        let of_bytes = bits(bytes, MOST[1], 2).unwrap_or(0);
        let room = BITS - of_requests;
        Self {
            counts_requests: of_requests > 0,
            bits: of_bytes.min(room),
            shift: of_bytes.saturating_sub(room),
        }
    }

    /// Packs requests and bytes.
    pub(super) fn pack(&self, used: [u64; 2]) -> i64 {
        let [requests, units] = [Unit::Requests, Unit::Bytes]
            .map(|unit| i64::try_from(self.amount(unit, used)).unwrap_or(i64::MAX));
        match (self.counts_requests, self.bits) {
            (true, bits) => requests
                .saturating_mul(1 << bits)
                .saturating_add(if bits > 0 { units } else { 0 }),
            (false, _) => units,
        }
    }

    /// Returns how much of this unit is used: requests, or units of bytes, rounded up.
    pub(super) fn amount(&self, unit: Unit, [requests, bytes]: [u64; 2]) -> u64 {
        match unit {
            Unit::Requests => requests,
            Unit::Bytes => bytes.div_ceil(1 << self.shift),
        }
    }

    /// Returns a limit in the same units.
    pub(super) fn limit(&self, unit: Unit, limit: u64) -> u64 {
        match unit {
            Unit::Requests => limit,
            Unit::Bytes => limit >> self.shift,
        }
    }

    /// Returns one part of a difference of packed numbers. A negative one counts as zero.
    pub(super) fn part(&self, unit: Unit, packed: i64) -> u64 {
        let unused = i64::BITS - self.bits;
        let units = match self.bits {
            0 => 0,
            _ => packed << unused >> unused,
        };
        let part = match unit {
            Unit::Requests => packed.saturating_sub(units) >> self.bits,
            Unit::Bytes => units,
        };
        u64::try_from(part).unwrap_or(0)
    }
}
