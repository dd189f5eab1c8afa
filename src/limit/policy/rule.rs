//! A rule. It is a rate or a quota. Its canonical text parses to the same rule.

use std::fmt;
use std::time::Duration;

use super::units::{DURATIONS, SIZES};
use super::{Quota, Rate, Unit};

/// A single rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The rule is a rate, which a token bucket enforces.
    Rate(Rate),
    /// The rule is a quota, which a sliding window enforces.
    Quota(Quota),
}

/// A rule in the form that the header `RateLimit-Policy` describes (draft-ietf-httpapi-ratelimit-headers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaPolicy {
    /// The number of requests or bytes.
    pub quota: u64,
    /// The time in which the amount may be used. For a rate, it is the time in which an empty bucket fills.
    pub window: Duration,
    /// The unit of the amount.
    pub unit: Unit,
}

impl Rule {
    /// Returns the rule in the form for the header.
    pub fn policy(&self) -> QuotaPolicy {
        match self {
            Self::Rate(rate) => QuotaPolicy {
                quota: rate.burst,
                window: rate.fills_in(),
                unit: Unit::Requests,
            },
            Self::Quota(quota) => QuotaPolicy {
                quota: quota.limit,
                window: quota.window,
                unit: quota.unit,
            },
        }
    }
}

/// Writes the rule as `rate 1/s burst 30`, `rate 2/s burst 10 wait 2s`, or `quota 64MiB/1d`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => {
                let per = in_largest_unit(rate.per.as_secs(), &DURATIONS);
                // A time of one unit is written without its number: `1/s`, not `1/1s`.
                let per = per
                    .strip_prefix('1')
                    .filter(|unit| unit.len() == 1)
                    .unwrap_or(&per);
                write!(f, "rate {}/{per} burst {}", rate.count, rate.burst)?;
                match rate.wait.as_secs() {
                    0 => Ok(()),
                    wait => write!(f, " wait {}", in_largest_unit(wait, &DURATIONS)),
                }
            }
            Self::Quota(quota) => {
                let amount = match quota.unit {
                    Unit::Requests => quota.limit.to_string(),
                    Unit::Bytes => in_largest_unit(quota.limit, &SIZES),
                };
                let window = in_largest_unit(quota.window.as_secs(), &DURATIONS);
                write!(f, "quota {amount}/{window}")
            }
        }
    }
}

/// Formats the number in the largest unit that divides it without a remainder.
fn in_largest_unit(number: u64, units: &[(&str, u64)]) -> String {
    let (unit, size) = units
        .iter()
        .find(|(_, size)| number.is_multiple_of(*size))
        .expect("the smallest unit is one");
    format!("{}{unit}", number / size)
}
