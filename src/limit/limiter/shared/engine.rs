//! The engine as the limiter sees it: entries with versions, which nodes replace by compare-and-set.

use std::pin::Pin;
use std::time::Duration;

/// The state of an entry of the limiter in the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitEntry {
    /// The key of the entry in the engine. It differs from node to node if their rules differ.
    pub key: u64,
    /// The version of the entry. Zero means that the engine has no such entry.
    pub version: u64,
    /// The state, whose format only the limiter knows.
    pub state: Vec<u8>,
}

/// The answer of the engine to an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitExchange {
    /// All entries had the expected versions and were replaced. The version of each is one higher now.
    Stored,
    /// Nothing was replaced. These are the entries of the engine, in the order asked.
    Conflict(Vec<LimitEntry>),
}

/// The engine did not answer. Whether it did as asked is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitsUnavailable;

/// The future of an exchange.
pub type Exchange<'a> =
    Pin<Box<dyn Future<Output = Result<LimitExchange, LimitsUnavailable>> + Send + 'a>>;

/// Keeps the entries that several nodes share.
pub trait LimitEngine: Send + Sync {
    /// Replaces all entries if the engine has them in these versions, or none. An empty state only reads: then the
    /// answer is always a conflict. All entries of one call belong to `network`. The engine may forget an entry that
    /// was not replaced for `ttl`, and earlier if it has too many. The implementation bounds the time of a call.
    fn exchange(&self, network: u64, entries: Vec<LimitEntry>, ttl: Duration) -> Exchange<'_>;

    /// Completes after the longest time that one request should wait for others of its network.
    fn longest_wait(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::pending())
    }
}
