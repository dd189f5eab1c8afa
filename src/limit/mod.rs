//! Limits: how much each client and each network may do.
//!
//! What it must not know: HTTP, pastes, the clock (every call is passed `now`), the environment.
//! Invariants: no address outlives the call that it is an argument of; only keyed hashes of clients are stored
//! ([`crate::fairness::ClientKey`]). The rules of a client and of its network all agree, or nothing is charged; a
//! network has sixteen times the figures of a client. A denial says when to come back, and is over by then. Memory does
//! not grow with the number of addresses. A limited client stays limited, and a newcomer still gets in.
//! Cost: one mutex, held for one decision; `cargo bench --bench limit` compares it with the crate `governor`, which
//! keeps one bucket per key in an unbounded map. A client takes 97 bytes, and 528 more with the default rules from its
//! first save until its entry is evicted. The default tables are 4.6 MiB of virtual memory, resident as clients come,
//! and at most 26 MiB of windows, if every entry has saved something.
//!
//! [`policy`] holds the rules as the operator writes them, [`network`] tells clients and networks apart, and
//! [`limiter`] decides.

mod limiter;
mod network;
mod policy;

pub use limiter::{
    Charge, DenialCount, LimitDenied, LimitGrant, LimitRequest, Limiter, LimiterStats,
    RemainingQuota, Subject, TableSizes, TableUsage,
};
pub use network::{
    CanonicalIp, ClientKeyHasher, ListErrorKind, ListParseError, NetworkPolicies, NetworkPolicy,
    Prefix, PrefixError, TrustedProxies,
};
pub use policy::{
    Action, MAX_RULES, Multiplier, NETWORK_FACTOR, Quota, QuotaPolicy, Rate, Rule, RuleError,
    RuleErrorKind, Rules, RulesByAction, Tier, Unit,
};
