//! States that nodes exchange through the engine: the entries of the limiter.
//!
//! Invariants: a state is replaced only if it has the expected version, so no node undoes a change of another. States
//! of one call are replaced together, or not at all. The engine does not know what they mean.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::Store;
use super::connection::{Call, Failure};
use super::shared::Shared;
use crate::limit::{Exchange, LimitEngine, LimitEntry, LimitExchange, LimitsUnavailable};

/// The number of tables for the entries of the limiter. The entries of one network are in one table. When it is full,
/// the engine forgets those first that no node replaced for long.
const TABLES: u64 = 64;

/// All tables have at least this number of entries, and one for each [`BUDGET_PER_ENTRY`] bytes of the budget of
/// pastes. One takes about 200 bytes, and at most 800.
const LEAST_ENTRIES: usize = 32_768;
const BUDGET_PER_ENTRY: usize = 4096;

/// A save waits for this number of deadlines at most for others of its network, whose limits are exchanged one after
/// the other.
const LONGEST_WAIT: u32 = 5;

/// A state with its version. The version is zero if the engine has no such state.
type Versioned = (u64, Vec<u8>);

/// A field of a table, and its state.
type Field = (u64, Versioned);

impl LimitEngine for Store {
    fn exchange(&self, network: u64, entries: Vec<LimitEntry>, ttl: Duration) -> Exchange<'_> {
        let table = format!("tb:{{l{}}}", network % TABLES);
        let keys: Vec<u64> = entries.iter().map(|entry| entry.key).collect();
        let field = |it: LimitEntry| (it.key, (it.version, it.state));
        let fields = entries.into_iter().map(field).collect();
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let answer = shared.exchange(&table, fields, ttl).await;
            let Some(found) = answer.map_err(|_| LimitsUnavailable)? else {
                return Ok(LimitExchange::Stored);
            };
            let found = keys.into_iter().zip(found);
            let found = found.map(|(key, (version, state))| LimitEntry {
                key,
                version,
                state,
            });
            Ok(LimitExchange::Conflict(found.collect()))
        })
    }

    fn longest_wait(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let longest = self.shared.connection.deadline() * LONGEST_WAIT;
        Box::pin(async move { _ = timeout(longest, pending::<()>()).await })
    }
}

impl Shared {
    /// Replaces the states in these fields if all have these versions. Otherwise returns those that are there. Empty
    /// states only ask.
    async fn exchange(
        self: &Arc<Self>,
        table: &str,
        fields: Vec<Field>,
        ttl: Duration,
    ) -> Result<Option<Vec<Versioned>>, Failure> {
        let mut exchange = redis::cmd("FCALL");
        exchange.arg("tidebin_exchange").arg(1).arg(table);
        exchange.arg(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX).max(1));
        exchange.arg(self.connection.now().as_millis());
        let entries = LEAST_ENTRIES.max(self.budget / BUDGET_PER_ENTRY);
        exchange.arg(entries as u64 / TABLES);
        let count = fields.len();
        for (field, (version, state)) in fields {
            exchange
                .arg(&field.to_be_bytes()[..])
                .arg(version)
                .arg(state);
        }
        let answer = self.call(Call::Exchange, exchange, 0).await;
        let (stored, parts): (i64, Vec<Vec<u8>>) = answer?;
        if stored == 1 {
            return Ok(None);
        }
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
        let found = parts.chunks_exact(2);
        let found = found.map(|part| Some((number(&part[0])?, part[1].clone())));
        let found: Option<Vec<Versioned>> = found.collect();
        let found = found.filter(|found| found.len() == count);
        found.map(Some).ok_or(Failure::Unavailable)
    }
}
