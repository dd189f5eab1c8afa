//! The upkeep: a thread that follows the time of the engine, reports reads, takes charges back, reads the blocks of the
//! operator, and checks the engine again after a failure. The connection lives on its runtime.
//!
//! Cost: every [`PERIOD`] one call for `tb:meta` and the time and one for the version of the blocks, and one for each
//! paste that was read; every [`CHECK_PERIODS`] one `INFO`.

use std::io;
use std::ops::RangeBounds;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::checks;
use super::connection::{Call, Script};
use super::meta;
use super::open_error::OpenError;
use super::reads::Place;
use super::shared::{Shared, names};

const PERIOD: Duration = Duration::from_secs(1);

/// How often an engine that cannot be used is asked whether it can.
const PERIOD_OF_REFUSAL: Duration = Duration::from_millis(50);

/// The number of periods after which the engine is checked also without a failure.
const CHECK_PERIODS: u64 = 10;

/// The most pastes whose reads are reported at once, so that other calls do not wait for long.
const BATCH: usize = 256;

/// The thread, and the way to end it: dropping the first.
pub(super) type Upkeep = (oneshot::Sender<()>, JoinHandle<()>);

pub(super) fn start(runtime: Runtime, shared: Arc<Shared>) -> io::Result<Upkeep> {
    let (stop, stopped) = oneshot::channel();
    let work = move || runtime.block_on(run(&shared, stopped));
    let thread = Builder::new().name("engine".to_owned()).spawn(work)?;
    Ok((stop, thread))
}

async fn run(shared: &Arc<Shared>, mut stopped: oneshot::Receiver<()>) {
    let connection = &shared.connection;
    let (mut periods, mut pause, mut was_failing) = (0_u64, PERIOD, false);
    while timeout(pause, &mut stopped).await.is_err() {
        periods += 1;
        let failed_call = connection.calls.take_failure();
        let is_unchecked = connection.is_unchecked.swap(false, Ordering::Relaxed);
        let must_check = is_unchecked || was_failing || periods.is_multiple_of(CHECK_PERIODS);
        let error = follow(shared, must_check).await.err();
        // If one server of a Cluster does not answer, others may.
        let is_refused = |error: &OpenError| !connection.is_cluster || error.is_of_engine();
        let is_refusing = error.as_ref().is_some_and(is_refused);
        connection.is_refusing.store(is_refusing, Ordering::Relaxed);
        if error.is_some() {
            // The library keeps a connection whose user was refused.
            connection.resolve_again();
            pause = PERIOD_OF_REFUSAL;
        } else {
            pause = PERIOD;
            report_reads(shared, ..).await;
            shared.take_all_back().await;
            // A failure is tried again in the next period.
            let _ = shared.refresh(&shared.blocks).await;
        }
        let failure = error.map(|error| error.to_string()).or(failed_call);
        match &failure {
            Some(error) if !was_failing => tracing::error!(
                error,
                "the engine of the pastes fails: requests that need it get 503, or 507 if it is full"
            ),
            None if was_failing => tracing::info!("the engine of the pastes works again"),
            Some(_) | None => {}
        }
        was_failing = failure.is_some();
    }
    report_reads(shared, ..).await;
    shared.take_all_back().await;
    // The engine answers in order. So what was started before, such as a list, is done after this answer.
    let _ = follow(shared, false).await;
}

/// Sets the clock of the node to that of the engine, and looks whether the engine can be used. Makes it tidebin's if it
/// is empty.
pub(super) async fn follow(shared: &Shared, must_check: bool) -> Result<(), OpenError> {
    let connection = &shared.connection;
    if must_check {
        let usage = checks::check_engine(connection).await?;
        checks::check_rights(connection).await?;
        *shared.usage.lock() = usage;
    }
    let (is_claimed, time) = meta::read(connection, &shared.keys).await?;
    connection.clock.follow(time);
    if !is_claimed {
        checks::refuse_foreign(connection).await?;
        meta::claim(connection, &shared.keys).await?;
    }
    Ok(())
}

/// Reports the reads that wait in a range of pastes. If an answer is missing, they are not reported again: the engine
/// may have counted them.
pub(super) async fn report_reads(shared: &Arc<Shared>, places: impl RangeBounds<Place>) {
    // A caller also waits for the report in progress, but not for long behind an engine that hangs.
    let in_progress = timeout(shared.connection.deadline, shared.reporting.lock());
    let Ok(_in_progress) = in_progress.await else {
        return;
    };
    for batch in shared.reads.take(places).chunks(BATCH) {
        let started = batch.iter().map(|((key, hour), reads)| {
            let [name, _, counts, _] = names(*key);
            let mut script = Script::Count.on(&[name, counts]);
            script.arg(*hour).arg(*reads);
            shared.call::<i64, 1>(Call::Touch, [script], 0)
        });
        for report in started.collect::<Vec<_>>() {
            let _ = report.await;
        }
    }
}
