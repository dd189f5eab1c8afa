//! The counters of the limits that the nodes share.
//!
//! `tb:{NETWORK}lNAME` is a whole number that expires, and `tb:{NETWORK}mMARK` tells for an hour whether a save was
//! added to some. A save that was denied leaves no mark: many of them would fill the engine. Those of one network are in
//! one slot.
//!
//! Invariant: a save that was refused is taken back once, and only if it was added: the script knows by its mark. What
//! is taken back without an answer is tried again each second.
//! Cost: an addition is one call of a script.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use redis::Cmd;

use super::Store;
use super::connection::{Call, Script};
use crate::limit::{Added, Counter, CountersError, SharedCounters};
use crate::store::StoreError;

impl SharedCounters for Store {
    fn add(&self, network: u64, counters: &[Counter]) -> Added<'_> {
        let shared = Arc::clone(&self.shared);
        let Ok(mark) = getrandom::u64() else {
            return Box::pin(async { Err(CountersError::Unavailable) });
        };
        let [add, take_back] =
            [Step::Add, Step::TakeBackIfAdded].map(|step| script(network, counters, mark, step));
        // On a task of its own, it is done also if the caller goes away meanwhile.
        let adding = self.shared.connection.runtime.spawn(async move {
            let is_sent = !shared.connection.is_refusing.load(Ordering::Relaxed);
            let added = shared.connection.call(Call::Limit, [add], 0).await;
            let (present, previous): (Vec<i64>, Vec<Option<i64>>) = match added {
                Ok(counts) => counts,
                Err(StoreError::DiskFull) => return Err(CountersError::Full),
                Err(_) => {
                    // If it was sent, the engine may have added it, or may still.
                    is_sent.then(|| shared.wait_to_take_back(take_back));
                    return Err(CountersError::Unavailable);
                }
            };
            let counts = present.into_iter().zip(previous);
            let counts = counts.map(|(present, previous)| [present, previous.unwrap_or(0)]);
            Ok((mark, counts.collect()))
        });
        Box::pin(async { adding.await.unwrap_or(Err(CountersError::Unavailable)) })
    }

    fn take_back(&self, network: u64, counters: &[Counter], mark: u64) {
        let shared = Arc::clone(&self.shared);
        shared.wait_to_take_back(script(network, counters, mark, Step::TakeBack));
        let taking = async move { shared.take_all_back().await };
        drop(self.shared.connection.runtime.spawn(taking));
    }
}

/// What the script does with a save, as it is told.
#[derive(Clone, Copy)]
enum Step {
    TakeBackIfAdded = -1,
    TakeBack = 0,
    Add = 1,
}

/// Returns the script that does this with a save.
fn script(network: u64, counters: &[Counter], mark: u64, step: Step) -> Cmd {
    let name = |kind, name: &str| format!("tb:{{{network:016x}}}{kind}{name}");
    let mut keys = vec![name('m', &format!("{mark:016x}"))];
    keys.extend(counters.iter().map(|it| name('l', &it.name)));
    keys.extend(counters.iter().map(|it| name('l', &it.previous)));
    let mut script = Script::Limit.on(&keys);
    script.arg(step as i8);
    let sign = if matches!(step, Step::Add) { "" } else { "-" };
    for counter in counters {
        let amount = format!("{sign}{}", counter.amount);
        script.arg(amount).arg(counter.expires_in);
    }
    script
}
