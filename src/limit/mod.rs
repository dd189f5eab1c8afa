//! Limits: which clients and networks may do how much.
//!
//! What it must not know: HTTP, pastes, the clock (every call is told `now`), the environment.
//! Invariants: no address outlives the call that it is an argument of: what is kept of a client is a keyed hash
//! ([`crate::fairness::ClientKey`]), the same however its address is written ([`CanonicalIp`]); the rules of a client and of its network,
//! sixteen times as large, all agree, or nothing is taken from any; a refusal says when to come back, and then is none;
//! memory does not grow with the number of addresses; who is limited stays limited, and somebody new still gets in.
//! Cost: one mutex, held for one decision; `cargo bench --bench limit` measures it beside the crate `governor`, which
//! keeps one bucket a key in a map without an end. A client takes 145 bytes, and 528 more with the default rules from
//! its first save until it is put out. The default tables are 7 MiB of virtual memory, resident as clients come, and
//! at most 26 MiB of windows, if every one of their entries has saved something.
//!
//! A decision is made of small parts: [`Rules`] are what the operator wrote; the plan gives each a place in an entry; a
//! table keeps an entry for each client or network; in it are buckets, for rates, and windows, for quotas.

mod bucket;
mod canonical_ip;
mod client_key_hasher;
mod entry_layout;
mod grammar;
mod limiter;
mod list;
mod multiplier;
mod network_policies;
mod prefix;
mod prefix_map;
mod remaining_quota;
mod request;
mod rule;
mod stats;
mod strictest_denial;
mod table;
#[cfg(test)]
mod tests;
mod trusted_proxies;
mod window;
mod word_array;

pub use bucket::{NETWORK_FACTOR, Rate};
pub use canonical_ip::CanonicalIp;
pub use client_key_hasher::ClientKeyHasher;
pub use grammar::{RuleError, RuleErrorKind};
pub use limiter::{Limiter, TableSizes};
pub use list::ListParseError;
pub use multiplier::Multiplier;
pub use network_policies::{NetworkPolicies, NetworkPolicy, NetworkProblem};
pub use prefix::{Prefix, PrefixError};
pub use prefix_map::PrefixMap;
pub use remaining_quota::RemainingQuota;
pub use request::{Charge, LimitDenied, LimitGrant, LimitRequest, Subject, Tier};
pub use rule::{Action, MAX_RULES, QuotaPolicy, Rule, Rules, RulesByAction};
pub use stats::{DenialCount, LimiterStats, TableUsage};
pub use trusted_proxies::{ProxyProblem, TrustedProxies};
pub use window::{Quota, Unit};

use std::time::Duration;

/// Nanoseconds, of which 64 bits last 584 years.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
