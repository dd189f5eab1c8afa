//! The entries of the limiter, which nodes exchange through the engine.
//!
//! Invariants: entries of one network are exchanged together, or not at all. The engine does not know what they mean.

use std::time::Duration;

use super::Store;
use super::call::Call;
use crate::limit::{Exchange, LimitEngine, LimitEntry, LimitExchange, LimitsUnavailable};

impl LimitEngine for Store {
    fn exchange(&self, network: u64, entries: Vec<LimitEntry>, ttl: Duration) -> Exchange<'_> {
        Box::pin(self.exchange_limits(network, entries, ttl))
    }
}

impl Store {
    /// Replaces entries of one network if all have these versions.
    ///
    /// # Errors
    /// Fails if the engine cannot be used. Then the entries may have been replaced.
    pub async fn exchange_limits(
        &self,
        network: u64,
        entries: Vec<LimitEntry>,
        ttl: Duration,
    ) -> Result<LimitExchange, LimitsUnavailable> {
        let mut exchange = redis::cmd("FCALL");
        exchange.arg("tidebin_exchange").arg(entries.len());
        for entry in &entries {
            exchange.arg(format!("tb:{{l{network:x}}}:{:x}", entry.key));
        }
        exchange.arg(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX).max(1));
        for entry in &entries {
            exchange.arg(entry.version).arg(&entry.state[..]);
        }
        let answer = self.shared.call(Call::Exchange, exchange, 0).await;
        let (stored, parts): (i64, Vec<Vec<u8>>) = answer.map_err(|_| LimitsUnavailable)?;
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
        if stored == 1 {
            return Ok(LimitExchange::Stored);
        }
        let found = entries.iter().zip(parts.chunks_exact(2));
        let found = found.map(|(entry, there)| {
            Some(LimitEntry {
                key: entry.key,
                version: number(&there[0])?,
                state: there[1].clone(),
            })
        });
        let found = found.collect::<Option<Vec<_>>>();
        found.map(LimitExchange::Conflict).ok_or(LimitsUnavailable)
    }
}
