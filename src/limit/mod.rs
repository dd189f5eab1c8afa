//! Limits: which clients and networks may do how much.
//!
//! What it must not know: HTTP, pastes, the clock (every call is told `now`), the environment.
//! Invariants: no address outlives the call that it is an argument of: what is kept of a client is a keyed hash
//! ([`crate::fairness::ClientKey`]), the same however its address is written ([`Address`]); the rules of a client and of its network,
//! sixteen times as large, all agree, or nothing is taken from any; a refusal says when to come back, and then is none;
//! memory does not grow with the number of addresses; who is limited stays limited, and somebody new still gets in.
//! Cost: one mutex, held for one decision; `cargo bench --bench limit` measures it beside the crate `governor`, which
//! keeps one bucket a key in a map without an end. A client takes 145 bytes, and 528 more with the default rules from
//! its first save until it is put out. The default tables are 7 MiB of virtual memory, resident as clients come, and
//! at most 26 MiB of windows, if every one of their entries has saved something.
//!
//! A decision is made of small parts: [`Rules`] are what the operator wrote; the plan gives each a place in an entry; a
//! table keeps an entry for each client or network; in it are buckets, for rates, and windows, for quotas.

mod address;
mod ask;
mod bucket;
mod client;
mod counters;
mod entries;
mod grammar;
mod limiter;
mod lines;
mod networks;
mod plan;
mod prefix;
mod prefix_map;
mod proxies;
mod refusal;
mod rule;
mod standing;
mod table;
#[cfg(test)]
mod tests;
mod times;
mod window;

pub use address::Address;
pub use ask::{Charge, LimitDenied, LimitGrant, LimitRequest, Subject, Tier};
pub use bucket::{NETWORK_TIMES, Rate};
pub use client::ClientKeys;
pub use counters::{Counters, Fill, LimitedCount};
pub use entries::ListParseError;
pub use grammar::{Problem, RuleError};
pub use limiter::{Limiter, Sizes};
pub use networks::{NetworkPolicy, NetworkProblem, Networks};
pub use prefix::{Prefix, PrefixError};
pub use prefix_map::PrefixMap;
pub use proxies::{ProxyProblem, TrustedProxies};
pub use rule::{Action, Limits, MOST_RULES, Policy, Rule, Rules};
pub use standing::Standing;
pub use times::Multiplier;
pub use window::{Quota, Unit};

use std::time::Duration;

/// Nanoseconds, of which 64 bits last 584 years.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
