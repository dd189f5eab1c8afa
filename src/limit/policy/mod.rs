//! Policy: the rules as the operator writes them, and their figures for a client and for its network.

mod action;
mod grammar;
mod multiplier;
mod nanos;
mod quota;
mod rate;
mod rule;
mod rule_error;
mod rules;
#[cfg(test)]
mod tests;
mod tier;
mod units;

pub use action::Action;
pub use multiplier::Multiplier;
pub(in crate::limit) use nanos::nanos;
pub use quota::{Quota, Unit};
pub use rate::Rate;
pub(in crate::limit) use rate::ScaledRate;
pub use rule::{QuotaPolicy, Rule};
pub use rule_error::{MAX_RULES, RuleError, RuleErrorKind};
pub use rules::{Rules, RulesByAction};
pub use tier::{NETWORK_FACTOR, Tier};
