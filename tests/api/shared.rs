//! Several nodes that share one engine: what they agree on, and what happens when the engine fails.

mod clock;
mod cluster;
mod cutting_proxy;
mod damage;
mod failures;
mod limits;
mod lost_answers;
mod meta;
mod nodes;
mod refusals;
mod rights;
mod stale_reads;
#[cfg(feature = "tls")]
mod tls;
