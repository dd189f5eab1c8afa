//! Opening the engine: everything that is checked before the server starts.
//!
//! Invariants: opening changes nothing in the engine. [`Opened::claim`] loads the functions and writes `tb:meta`, once
//! everything was checked. It refuses the engine only if another node that started at the same time was faster.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use parking_lot::Mutex;
use redis::RedisResult;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::charge::{most_charge, usual_shards};
use super::connection::{self, Connection, EngineClock};
use super::meta::Meta;
use super::open_error::OpenError;
use super::reads::PendingReads;
use super::shared::{Lists, Shared, Usage};
use crate::byte_size::ByteSize;
use crate::paste::Timestamp;
use crate::store::RemovalHook;
use crate::store::seal::Keys;

/// The version of the functions in `library/`.
const LIBRARY_VERSION: i64 = 2;

/// The oldest version of Redis with functions. Valkey is newer, and names this version too.
const OLDEST_MAJOR: u32 = 7;

/// Nodes whose clock differs by more from that of the engine do not use it.
pub const MOST_CLOCK_DIFFERENCE: Duration = Duration::from_mins(10);

/// How long a node waits before it makes an engine its own, so that running nodes can do it first after the engine lost
/// everything. They know the number of shards.
const CLAIM_PAUSE: Duration = Duration::from_secs(2);

/// The largest content that an engine takes: its `proto-max-bulk-len` is 512 MiB.
const MOST_CONTENT: usize = 511 << 20;

/// An engine that passed all checks.
pub struct Opened {
    runtime: Runtime,
    connection: Connection,
    keys: Keys,
    /// The fingerprint of the secret, as `tb:meta` has it.
    fingerprint: String,
    budget: usize,
    largest: usize,
    meta: Meta,
    time: Timestamp,
}

impl Opened {
    /// Connects to the engine at these addresses. Several are those of a Cluster. All pastes may cost `budget` bytes,
    /// and one must fit that has `largest` bytes.
    ///
    /// # Errors
    /// Returns an [`OpenError`] if the engine cannot be used as it is.
    pub fn open(
        urls: &[String],
        keys: Keys,
        budget: usize,
        largest: usize,
    ) -> Result<Self, OpenError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(OpenError::Runtime)?;
        let fingerprint = keys
            .fingerprint()
            .map(|byte| format!("{byte:02x}"))
            .concat();
        let opening = async {
            let connection = Connection::open(urls, runtime.handle().clone()).await;
            let connection = connection.map_err(|error| OpenError::of(error, "INFO"))?;
            check_engine(&connection, budget).await?;
            let time = time_of(&connection).await?;
            let shards = usual_shards(budget, largest);
            let meta = Meta::read(&connection, &fingerprint, shards).await?;
            meta.refuse_smaller(budget)?;
            refuse_large_paste(budget, largest, meta.shards)?;
            if !meta.is_claimed {
                refuse_foreign(&connection).await?;
            }
            library_versions(&connection).await?;
            Ok((connection, meta, time))
        };
        let (connection, meta, time) = runtime.block_on(opening)?;
        Ok(Self {
            runtime,
            connection,
            keys,
            fingerprint,
            budget,
            largest,
            meta,
            time,
        })
    }

    /// Sets this clock to the time of the engine, which all nodes use. So it does not matter what their own clocks show.
    ///
    /// # Errors
    /// Fails if they differ by more than [`MOST_CLOCK_DIFFERENCE`].
    pub fn set_clock(&self, clock: &impl EngineClock) -> Result<(), OpenError> {
        let difference = clock.difference(self.time);
        if difference > MOST_CLOCK_DIFFERENCE {
            return Err(OpenError::Clock(difference.as_secs()));
        }
        clock.agree_with(self.time);
        Ok(())
    }

    /// Returns the time that the engine had when it was opened.
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// Makes the engine tidebin's: loads the functions, and tells other nodes what all have in common.
    pub(super) fn claim(&mut self) -> Result<(), OpenError> {
        let connection = &self.connection;
        let claiming = async {
            if !self.meta.is_claimed && !self.meta.has_shards {
                let _ = timeout(CLAIM_PAUSE, pending::<()>()).await;
            }
            load_library(connection).await?;
            let claimed = self.meta.claim(connection, &self.fingerprint, self.budget);
            let failed = |error| OpenError::of(error, "HSETNX");
            claimed.await.map_err(failed)?;
            // Another node that started at the same time may have been faster.
            let meta = Meta::read(connection, &self.fingerprint, self.meta.shards).await?;
            meta.refuse_smaller(self.budget)?;
            if meta.budget != Some(self.budget) {
                let raised = Meta::raise_budget(connection, self.budget).await;
                raised.map_err(|error| OpenError::of(error, "HSET"))?;
            }
            Ok(meta)
        };
        self.meta = self.runtime.block_on(claiming)?;
        refuse_large_paste(self.budget, self.largest, self.meta.shards)
    }

    pub(super) fn into_parts(
        mut self,
        removal_hook: RemovalHook,
        clock: Box<dyn EngineClock>,
    ) -> (Runtime, Arc<Shared>) {
        self.connection.finish_start(self.meta.deadline, clock);
        let shared = Shared {
            connection: self.connection,
            keys: self.keys,
            room: AtomicUsize::new(self.budget / usize::from(self.meta.shards)),
            budget: self.budget,
            fingerprint: self.fingerprint,
            deadline: self.meta.deadline,
            largest_content: self.largest,
            usage: Mutex::new(Usage::of(self.meta.shards)),
            reads: PendingReads::default(),
            reporting: tokio::sync::Mutex::default(),
            lists: Lists::default(),
            removal_hook,
            shards: self.meta.shards,
        };
        (self.runtime, Arc::new(shared))
    }
}

/// Refuses an engine that is too old, a replica, too small, or that drops keys on its own. Of a Cluster, one server is
/// asked.
async fn check_engine(connection: &Connection, budget: usize) -> Result<(), OpenError> {
    let info: String = connection
        .ask_any(&redis::cmd("INFO"))
        .await
        .map_err(|error| OpenError::of(error, "INFO"))?;
    let fields: HashMap<&str, &str> = info
        .lines()
        .filter_map(|line| line.trim_end().split_once(':'))
        .collect();
    let field = |name| fields.get(name).copied().unwrap_or_default();
    let version = field("redis_version");
    let major = version.split('.').next().and_then(|it| it.parse().ok());
    if major.is_some_and(|major: u32| major < OLDEST_MAJOR) {
        return Err(OpenError::TooOld(version.to_owned()));
    }
    if field("role") == "slave" {
        return Err(OpenError::ReadOnly);
    }
    let memory = field("maxmemory").parse().unwrap_or(0);
    if memory == 0 {
        return Ok(());
    }
    let policy = field("maxmemory_policy");
    if policy != "noeviction" {
        return Err(OpenError::Evicts(policy.to_owned()));
    }
    // The rest is for fragmentation, for the limiter, and for buffers.
    let least = budget.saturating_add(budget / 10 * 3);
    if memory < least && !connection.is_cluster() {
        return Err(OpenError::TooSmall {
            memory: ByteSize(memory),
            budget: ByteSize(budget),
            least: ByteSize(least).rounded_up(),
        });
    }
    Ok(())
}

async fn time_of(connection: &Connection) -> Result<Timestamp, OpenError> {
    let time = connection.ask_any(&redis::cmd("TIME")).await;
    time.map(timestamp)
        .map_err(|error| OpenError::of(error, "TIME"))
}

/// Returns the time of the engine. In a Cluster it is that of the server with `tb:meta`, the same for all nodes.
pub(super) async fn time_by_function(connection: &Connection) -> RedisResult<Timestamp> {
    let mut ask = redis::cmd("FCALL");
    ask.arg("tidebin_time").arg(1).arg("tb:meta");
    connection.ask(&ask).await.map(timestamp)
}

fn timestamp((seconds, micros): (u64, u64)) -> Timestamp {
    Timestamp::from_millis(seconds.saturating_mul(1000) + micros / 1000)
}

/// Loads the functions if they are missing or older. One server of a Cluster may have others than the rest.
pub(super) async fn load_library(connection: &Connection) -> Result<(), OpenError> {
    let failed = |error| OpenError::of(error, "FUNCTION LOAD");
    let is_current = |versions: &Option<Vec<i64>>| {
        let versions = versions.as_deref().unwrap_or(&[0]);
        versions.iter().all(|version| *version == LIBRARY_VERSION)
    };
    let mut versions = library_versions(connection).await?;
    if is_current(&versions) {
        return Ok(());
    }
    if versions.is_none() {
        connection.add_library().await.map_err(failed)?;
        versions = library_versions(connection).await?;
    }
    if !is_current(&versions) {
        connection.replace_library().await.map_err(failed)?;
        library_versions(connection).await?;
    }
    Ok(())
}

/// Returns the versions of the functions on all servers, or `None` if one has none. Refuses newer ones.
async fn library_versions(connection: &Connection) -> Result<Option<Vec<i64>>, OpenError> {
    let mut ask = redis::cmd("FCALL");
    ask.arg("tidebin_version").arg(0);
    let versions = match connection.ask_all(&ask).await {
        Ok(versions) => versions,
        Err(error) if connection::is_without_library(&error) => return Ok(None),
        Err(error) => return Err(OpenError::of(error, "FCALL")),
    };
    match versions.iter().max() {
        Some(newest) if *newest > LIBRARY_VERSION => Err(OpenError::NewerLibrary(*newest)),
        _ => Ok(Some(versions)),
    }
}

fn refuse_large_paste(budget: usize, largest: usize, shards: u16) -> Result<(), OpenError> {
    if largest > MOST_CONTENT {
        return Err(OpenError::ValueTooLarge(ByteSize(MOST_CONTENT)));
    }
    let shards = usize::from(shards);
    let needed = most_charge(largest);
    if budget / shards >= needed {
        return Ok(());
    }
    Err(OpenError::PasteTooLarge {
        budget: ByteSize(budget),
        paste: ByteSize(largest),
        least: ByteSize(needed.saturating_mul(shards)).rounded_up(),
    })
}

/// Refuses a database with keys of another program, by a look at one of them. The servers of a Cluster are not asked.
async fn refuse_foreign(connection: &Connection) -> Result<(), OpenError> {
    if connection.is_cluster() {
        return Ok(());
    }
    let key = connection.ask(&redis::cmd("RANDOMKEY")).await;
    let key: Option<Vec<u8>> = key.map_err(|error| OpenError::of(error, "RANDOMKEY"))?;
    // An engine that lost everything may have keys of running nodes before they write `tb:meta` again.
    match key.is_none_or(|key| key.starts_with(b"tb:")) {
        true => Ok(()),
        false => Err(OpenError::Foreign),
    }
}

#[cfg(test)]
mod tests {
    use sha2::Digest;

    use super::*;

    #[test]
    fn the_version_of_the_functions_is_the_one_that_they_return() {
        let line = format!("\nlocal VERSION = {LIBRARY_VERSION}\n");
        assert!(connection::LIBRARY_SOURCE.contains(&line));
    }

    #[test]
    fn a_change_of_the_functions_gets_a_higher_version() {
        let sum = sha2::Sha256::digest(connection::LIBRARY_SOURCE);
        assert_eq!(
            (LIBRARY_VERSION, &sum[..4]),
            (2, &[0xef, 0x6b, 0x33, 0x45][..]),
            "raise the version after a release, and write both here"
        );
    }
}
