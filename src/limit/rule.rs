//! Rules: what an operator allows, of rates and quotas, for one action.
//!
//! What it must not know: who is limited, and what was used so far.
//! Invariants: at most [`MAX_RULES`] for one action, so that a decision has a bound; what is displayed is the
//! canonical text, which reads back as the same rule.

use std::fmt;
use std::time::Duration;

use super::{Quota, Rate, RuleError, Unit, grammar};

/// Rules that one action may have.
pub const MAX_RULES: usize = 8;

/// What clients do, as far as it is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Keeping a paste.
    Save,
    /// Any other request that is not free.
    Read,
    /// Having asked for a paste that is not there.
    Miss,
    /// Guessing at the password of a paste.
    Password,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Save, Self::Read, Self::Miss, Self::Password];

    /// Whether it may wait for its token: a miss has happened, and a guess is judged in the middle of a request.
    pub(super) fn may_wait(self) -> bool {
        match self {
            Self::Save | Self::Read => true,
            Self::Miss | Self::Password => false,
        }
    }
}

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A token bucket.
    Rate(Rate),
    /// A sliding window.
    Quota(Quota),
}

/// A rule as a `RateLimit-QuotaPolicy` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaPolicy {
    /// How much.
    pub quota: u64,
    /// In what time; of a rate, the time in which its burst comes back.
    pub window: Duration,
    /// Of what.
    pub unit: Unit,
}

impl Rule {
    /// What it comes down to.
    #[must_use]
    pub fn policy(&self) -> QuotaPolicy {
        match self {
            Self::Rate(rate) => QuotaPolicy {
                quota: rate.burst(),
                window: rate.fills_in(),
                unit: Unit::Requests,
            },
            Self::Quota(quota) => QuotaPolicy {
                quota: quota.most(),
                window: quota.window(),
                unit: quota.unit(),
            },
        }
    }
}

/// The rules of one action, in the order they were written; none if it is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// From a text: `rate 1/s burst 30, quota 64MiB/1d`, or `off`. What would never do anything for this action is
    /// refused: bytes are counted of saves only, and neither misses nor guesses at passwords wait.
    pub fn parse(text: &str, action: Action) -> Result<Self, RuleError> {
        grammar::parse(text, action).map(Self)
    }

    /// In the order they were written.
    #[must_use]
    pub fn as_slice(&self) -> &[Rule] {
        &self.0
    }
}

/// The rules of all actions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulesByAction {
    /// Those of saves.
    pub save: Rules,
    /// Those of all requests that are no saves.
    pub read: Rules,
    /// Those of misses.
    pub miss: Rules,
    /// Those of guesses at passwords.
    pub password: Rules,
}

impl RulesByAction {
    /// The rules of this action.
    #[must_use]
    pub fn of(&self, action: Action) -> &Rules {
        match action {
            Action::Save => &self.save,
            Action::Read => &self.read,
            Action::Miss => &self.miss,
            Action::Password => &self.password,
        }
    }
}

/// `rate 1/s burst 30`, `rate 2/s burst 10 wait 2s`, `quota 64MiB/1d`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => {
                let per = in_largest_unit(rate.per());
                let per = per
                    .strip_prefix('1')
                    .filter(|unit| unit.len() == 1)
                    .unwrap_or(&per);
                write!(f, "rate {}/{per} burst {}", rate.count(), rate.burst())?;
                match rate.wait() {
                    Duration::ZERO => Ok(()),
                    wait => write!(f, " wait {}", in_largest_unit(wait)),
                }
            }
            Self::Quota(quota) => {
                let amount = match quota.unit() {
                    Unit::Requests => quota.most().to_string(),
                    Unit::Bytes => in_largest_size(quota.most()),
                };
                write!(f, "quota {amount}/{}", in_largest_unit(quota.window()))
            }
        }
    }
}

/// Joined by commas, or `off`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("off");
        }
        for (index, rule) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{rule}")?;
        }
        Ok(())
    }
}

fn in_largest_unit(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (unit, size) = grammar::DURATIONS
        .into_iter()
        .find(|(_, size)| seconds.is_multiple_of(*size))
        .unwrap_or(("s", 1));
    format!("{}{unit}", seconds / size)
}

fn in_largest_size(bytes: u64) -> String {
    let (unit, size) = grammar::SIZES
        .into_iter()
        .find(|(_, size)| bytes.is_multiple_of(*size))
        .unwrap_or(("B", 1));
    format!("{}{unit}", bytes / size)
}
