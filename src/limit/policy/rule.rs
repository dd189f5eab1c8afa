//! A rule: a rate or a quota, and its canonical text, which reads back as the same rule.

use std::fmt;
use std::time::Duration;

use super::units::{DURATIONS, SIZES};
use super::{Quota, Rate, Unit};

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A token bucket.
    Rate(Rate),
    /// A sliding window.
    Quota(Quota),
}

/// A rule as the header `RateLimit-Policy` tells it (draft-ietf-httpapi-ratelimit-headers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaPolicy {
    /// The amount.
    pub quota: u64,
    /// The time in which the amount may be used; for a rate, the time in which its burst comes back.
    pub window: Duration,
    /// What is counted.
    pub unit: Unit,
}

impl Rule {
    /// The rule as a header tells it.
    #[must_use]
    pub fn policy(&self) -> QuotaPolicy {
        match self {
            Self::Rate(rate) => QuotaPolicy {
                quota: rate.burst(),
                window: rate.fills_in(),
                unit: Unit::Requests,
            },
            Self::Quota(quota) => QuotaPolicy {
                quota: quota.limit(),
                window: quota.window(),
                unit: quota.unit(),
            },
        }
    }
}

/// Writes `rate 1/s burst 30`, `rate 2/s burst 10 wait 2s`, or `quota 64MiB/1d`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => {
                let per = in_largest_unit(rate.per().as_secs(), &DURATIONS);
                // `1/s`, not `1/1s`; but `1/10s` stays.
                let per = per
                    .strip_prefix('1')
                    .filter(|unit| unit.len() == 1)
                    .unwrap_or(&per);
                write!(f, "rate {}/{per} burst {}", rate.count(), rate.burst())?;
                match rate.wait().as_secs() {
                    0 => Ok(()),
                    wait => write!(f, " wait {}", in_largest_unit(wait, &DURATIONS)),
                }
            }
            Self::Quota(quota) => {
                let amount = match quota.unit() {
                    Unit::Requests => quota.limit().to_string(),
                    Unit::Bytes => in_largest_unit(quota.limit(), &SIZES),
                };
                let window = in_largest_unit(quota.window().as_secs(), &DURATIONS);
                write!(f, "quota {amount}/{window}")
            }
        }
    }
}

/// The number in the largest unit that divides it.
fn in_largest_unit(number: u64, units: &[(&str, u64)]) -> String {
    let (unit, size) = units
        .iter()
        .find(|(_, size)| number.is_multiple_of(*size))
        .expect("the smallest unit is one");
    format!("{}{unit}", number / size)
}
