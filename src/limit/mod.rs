//! Limits. They determine how much each client and each network may do.
//!
//! What this module must not know: HTTP, pastes, the environment, and the clock. Every call is passed the time as
//! `now`.
//! Invariants: No IP address is kept after the call that it was passed to. Only keyed hashes of clients are stored
//! ([`crate::fairness::ClientKey`]). Nothing is charged unless all rules of the client and of its network admit the
//! request. A network may do sixteen times as much as a client. A denial tells when to come back, and is over by then.
//! Memory use does not grow with the number of addresses. A limited client stays limited, and a new client is still
//! admitted.
//! Cost: One mutex is held for one decision. `cargo bench --bench limit` compares it with the crate `governor`, which
//! keeps one bucket per key in an unbounded map. A client takes 97 bytes. With the default rules it takes 528 bytes
//! more from its first save until its entry is evicted. The default tables take 4.6 MiB of virtual memory, which
//! becomes resident as clients come. The windows take at most 26 MiB, if every entry has saved something.
//!
//! [`policy`] contains the rules as the operator writes them. [`network`] distinguishes clients and networks.
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
