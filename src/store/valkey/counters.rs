//! The counters of the limits that the nodes share, by plain commands.
//!
//! `tb:{NETWORK}lNAME` is a whole number that expires. Those of one network are in one slot.
//! Cost: an addition is an `INCRBY` and a `PEXPIRE NX` for each counter, and one `MGET`, sent together.

use std::sync::Arc;

use futures_util::future::{join_all, join3, try_join_all};
use redis::{Cmd, Value};

use super::Store;
use super::connection::{Call, command};
use crate::limit::{Added, Counter, CountersError, SharedCounters};
use crate::store::StoreError;

impl SharedCounters for Store {
    fn add(&self, network: u64, counters: &[Counter], amount: i64) -> Added<'_> {
        let commands = counters.iter().map(|it| addition(network, it, amount));
        let (adds, expiries): (Vec<_>, Vec<_>) =
            commands.map(|[add, expire]| (add, expire)).unzip();
        let previous = counters.iter().map(|it| name(network, &it.previous));
        let read = command("MGET", previous.collect::<Vec<_>>());
        let shared = Arc::clone(&self.shared);
        // On a task of its own, it is done also if the caller goes away meanwhile.
        let adding = self.shared.connection.runtime.spawn(async move {
            let call = |command| shared.connection.call::<i64, 1>(Call::Limit, [command], 0);
            let adds = try_join_all(adds.into_iter().map(call));
            let expiries = join_all(expiries.into_iter().map(call));
            let read = shared.connection.call(Call::Limit, [read], 0);
            let (present, _, previous) = join3(adds, expiries, read).await;
            let previous: Vec<Option<i64>> = previous?;
            let counts = present?.into_iter().zip(previous);
            Ok(counts.map(|(present, previous)| [present, previous.unwrap_or(0)]))
        });
        Box::pin(async {
            match adding.await {
                Ok(Ok(counts)) => Ok(counts.collect()),
                Ok(Err(StoreError::DiskFull)) => Err(CountersError::Full),
                Ok(Err(_)) | Err(_) => Err(CountersError::Unavailable),
            }
        })
    }

    fn take_back(&self, network: u64, counters: &[Counter], amount: i64) {
        for counter in counters {
            let taking = addition(network, counter, -amount);
            drop(self.shared.start::<Value, 2>(Call::Limit, taking, 0));
        }
    }
}

/// Returns the commands that add to a counter, and give it its expiry if it has none.
fn addition(network: u64, counter: &Counter, amount: i64) -> [Cmd; 2] {
    let name = name(network, &counter.name);
    let add = command("INCRBY", (&name, amount));
    [add, command("PEXPIRE", (name, counter.expires_in, "NX"))]
}

fn name(network: u64, name: &str) -> String {
    format!("tb:{{{network:016x}}}l{name}")
}
