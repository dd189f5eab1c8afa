//! The counters of the limits that the nodes share, by plain commands.
//!
//! `tb:{NETWORK}lNAME` is a whole number that expires. Those of one network are in one slot.
//! Cost: an addition is two `INCRBY` and one `MGET`, sent together.

use std::sync::Arc;

use futures_util::future::join3;
use redis::Value;

use super::Store;
use super::connection::{Call, command};
use crate::limit::{Added, CounterUpdate, CountersUnavailable, SharedCounters};
use crate::store::StoreError;

impl SharedCounters for Store {
    fn add(&self, network: u64, totals: [String; 2], amount: i64, read: Vec<String>) -> Added<'_> {
        let totals = totals.map(|total| command("INCRBY", (name(network, &total), amount)));
        let read: Vec<_> = read.iter().map(|it| name(network, it)).collect();
        let read = command("MGET", read);
        let shared = Arc::clone(&self.shared);
        // On a task of its own, it is done also if the caller goes away meanwhile.
        let adding = self.shared.connection.runtime.spawn(async move {
            let connection = &shared.connection;
            let [one, other] = totals.map(|add| connection.call(Call::Limit, [add], 0));
            let read = connection.call(Call::Limit, [read], 0);
            let (one, other, read) = join3(one, other, read).await;
            Ok::<_, StoreError>(([one?, other?], read?))
        });
        Box::pin(async {
            adding
                .await
                .ok()
                .and_then(Result::ok)
                .ok_or(CountersUnavailable)
        })
    }

    fn start(&self, network: u64, update: CounterUpdate) {
        let (shared, less) = (&self.shared, update.less);
        for total in update.totals.map(|total| name(network, &total)) {
            let expire = command("PEXPIRE", (&total, update.expires_in, "NX"));
            match less {
                0 => drop(shared.start::<Value, 1>(Call::Limit, [expire], 0)),
                less => {
                    let take = command("INCRBY", (&total, -less));
                    drop(shared.start::<Value, 2>(Call::Limit, [take, expire], 0));
                }
            }
        }
        for (mark, count, expires_in) in update.marks {
            let mark = name(network, &mark);
            let set = command("SET", (mark, count, "NX", "PX", expires_in));
            drop(shared.start::<Value, 1>(Call::Limit, [set], 0));
        }
    }
}

fn name(network: u64, name: &str) -> String {
    format!("tb:{{{network:016x}}}l{name}")
}
