//! Limits. They determine how much each client and each network may do.
//!
//! This module must not know about HTTP, pastes, the environment or the clock. Callers pass the time as `now`.
//! Invariants: No IP address is kept after the call that it was passed to. Only keyed hashes of clients are stored
//! ([`crate::fairness::ClientKey`]). Nothing is charged unless all rules of the client and of its network admit the
//! request. A network may do sixteen times as much as a client. A denial states when to try again, and has ended by
//! then. Memory use does not grow with the number of addresses. A flood of addresses does not free a limited client
//! from its limits, and new clients are still admitted.
//! Cost: One mutex is held for one decision. A client takes 97 bytes. With the default rules it takes 528 bytes more from
//! its first save until its entry is evicted. The default tables take 4.6 MiB of virtual memory, which becomes resident as
//! clients come. The windows take at most 26 MiB, if every entry has windows.
//!
//! [`policy`] contains the rules as the operator writes them. [`network`] distinguishes clients and networks.
//! [`limiter`] decides. [`shared`] limits saves on all nodes together, if several share an engine.

mod limiter;
mod network;
mod policy;
mod shared;

pub use limiter::{
    Charge, DenialCount, LimitDenied, LimitGrant, LimitRequest, Limiter, LimiterStats,
    RemainingQuota, Subject, TableSizes, TableUsage,
};
pub use network::{
    CanonicalIp, ClientKeyHasher, ListErrorKind, ListParseError, NetworkPolicies, NetworkPolicy,
    PrefixError, TrustedProxies,
};
pub use policy::{
    Action, MAX_RULES, Multiplier, NETWORK_FACTOR, Quota, QuotaPolicy, Rate, Rule, RuleError,
    RuleErrorKind, Rules, RulesByAction, Tier, Unit,
};
pub use shared::{
    Added, Counter, CountersError, NotCharged, SharedCharge, SharedCounters, SharedLimits,
};
