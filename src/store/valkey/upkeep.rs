//! The upkeep: a thread that reports reads to the engine and removes expired pastes. The connection lives on its
//! runtime.
//!
//! Cost: every [`PERIOD`] one call each for `tb:meta`, for the time and for the version of the functions, one for each
//! shard with reads, and one for a sixteenth of the shards.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::connection::Call;
use super::meta::Meta;
use super::open_error::OpenError;
use super::opening::{self, MOST_CLOCK_DIFFERENCE};
use super::shared::Shared;
use crate::paste::Timestamp;

/// How often reads are reported.
const PERIOD: Duration = Duration::from_millis(250);

/// A clock that differs by less is not set: an answer may take that long.
const LEAST_STEP: Duration = Duration::from_secs(2);

/// How often an engine that was silent is asked whether it answers again.
const PERIOD_OF_SILENCE: Duration = Duration::from_millis(50);

/// The number of periods in which each shard is swept once.
const SWEEP_PERIODS: u16 = 16;

/// The most pastes whose reads one call reports, or that one call removes. The functions of the engine have it too.
const BATCH: usize = 64;

/// The most calls that remove expired pastes of one shard in a row, so that the others get their turn.
const MOST_BATCHES: u32 = 16;

/// The thread, and the way to end it.
pub(super) struct Upkeep {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Upkeep {
    pub(super) fn start(runtime: Runtime, shared: Arc<Shared>) -> io::Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let work = move || runtime.block_on(run(&shared, stopped));
        let thread = Builder::new().name("engine".to_owned()).spawn(work)?;
        Ok(Self { stop, thread })
    }

    /// Reports what is left, and ends the thread.
    pub(super) fn stop(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}

async fn run(shared: &Arc<Shared>, mut stopped: oneshot::Receiver<()>) {
    let mut next = 0;
    while timeout(PERIOD, &mut stopped).await.is_err() {
        shared.connection.shorten_pauses();
        // It is asked until it answers, so that the node notices that soon.
        while shared.connection.is_silent()
            && timeout(PERIOD_OF_SILENCE, &mut stopped).await.is_err()
        {
            let _ = follow_meta(shared).await;
        }
        let now = shared.connection.now();
        report_reads(shared, now).await;
        // A failure is tried again in the next period.
        let _ = follow_meta(shared).await;
        let _ = opening::load_library(&shared.connection).await;
        for _ in 0..shared.shards.div_ceil(SWEEP_PERIODS) {
            next = (next + 1) % shared.shards;
            for _ in 0..MOST_BATCHES {
                if sweep(shared, now, next).await < BATCH as u64 {
                    break;
                }
            }
        }
    }
    report_reads(shared, shared.connection.now()).await;
}

/// Does what `tb:meta` and the clock of the engine tell: takes a larger budget from the other nodes, and refuses all
/// calls while the engine belongs to other nodes or has another time. If the engine lost its data, the key is written
/// again.
async fn follow_meta(shared: &Arc<Shared>) -> Result<(), OpenError> {
    let connection = &shared.connection;
    let read = Meta::read(connection, &shared.fingerprint, shared.shards).await;
    let found = match read {
        Ok(meta) if meta.is_claimed && meta.shards != shared.shards => {
            Err(OpenError::Shards(meta.shards.to_string()))
        }
        Ok(meta) => follow_clock(shared).await.map(|()| meta),
        refused => refused,
    };
    if let Err(error) = &found
        && !error.stops_requests()
    {
        // Nothing is known, so what was known before holds.
        return found.map(|_| ());
    }
    connection.refuse_if(found.as_ref().err());
    let meta = found?;
    if !meta.is_claimed {
        let own = Meta {
            shards: shared.shards,
            deadline: shared.deadline,
            ..meta
        };
        let claimed = own.claim(connection, &shared.fingerprint, shared.budget);
        return claimed
            .await
            .map_err(|error| OpenError::of(error, "HSETNX"));
    }
    let of_others = meta.budget.unwrap_or(0);
    shared.use_budget(of_others);
    if of_others < shared.budget {
        // Nodes with smaller budgets wrote the key again, or started at the same time.
        let raised = Meta::raise_budget(connection, shared.budget).await;
        return raised.map_err(|error| OpenError::of(error, "HSET"));
    }
    Ok(())
}

/// Sets the clock of the node to that of the engine if they differ. If they differ by much, one of them is wrong, and
/// pastes could be removed too early.
async fn follow_clock(shared: &Arc<Shared>) -> Result<(), OpenError> {
    let clock = shared.connection.clock();
    let time = opening::time_by_function(&shared.connection).await;
    let time = time.map_err(|error| OpenError::of(error, "TIME"))?;
    let difference = clock.difference(time);
    if difference > MOST_CLOCK_DIFFERENCE {
        return Err(OpenError::Clock(difference.as_secs()));
    }
    if difference > LEAST_STEP {
        clock.agree_with(time);
    }
    Ok(())
}

/// Reports all reads that wait. If an answer is missing, they are not reported again: the engine may have counted them.
pub(super) async fn report_reads(shared: &Arc<Shared>, now: Timestamp) {
    // A caller also waits for the report in progress, but not for long behind an engine that hangs.
    let in_progress = timeout(shared.connection.deadline(), shared.reporting.lock());
    let Ok(_in_progress) = in_progress.await else {
        return;
    };
    let mut by_shard: BTreeMap<u16, Vec<_>> = BTreeMap::new();
    for read in shared.reads.take() {
        let ((key, _), _) = read;
        by_shard.entry(shared.shard_of(key)).or_default().push(read);
    }
    let batches = by_shard.into_iter().flat_map(|(shard, reads)| {
        let batches: Vec<Vec<_>> = reads.chunks(BATCH).map(<[_]>::to_vec).collect();
        batches.into_iter().map(move |batch| (shard, batch))
    });
    let answers: Vec<_> = batches
        .map(|(shard, batch)| {
            let mut touch = shared.changing_function("touch", now, shard);
            for ((key, hour), reads) in &batch {
                touch.arg(&key.0.to_be_bytes()[..]).arg(*hour).arg(*reads);
            }
            shared.start_change(Call::Touch, shard, touch, 0)
        })
        .collect();
    for answer in answers {
        let _ = answer.await;
    }
}

/// Removes expired pastes of a shard, at most a batch. Returns how many there were.
pub(super) async fn sweep(shared: &Arc<Shared>, now: Timestamp, shard: u16) -> u64 {
    let sweep = shared.changing_function("sweep", now, shard);
    let answer = shared.start_change(Call::Sweep, shard, sweep, 0).await;
    let Ok(Ok(answer)) = answer else {
        return 0;
    };
    let overdue = Duration::from_millis(u64::try_from(answer.detail).unwrap_or(0));
    shared.usage.lock().set_overdue(shard, overdue);
    answer.removed
}
