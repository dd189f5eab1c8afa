//! Opening the engine: everything that is checked before the server starts.
//!
//! Invariants: what `tb:meta` refuses changes nothing. The number of shards is fixed when the first node starts, and kept
//! with the format and the fingerprint of the secret in `tb:meta`. Nodes that start at once agree, because each field
//! is written only if it is absent.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Runtime};

use super::OVERHEAD;
use super::connection::{self, Clock, Connection, META};
use super::header::Header;
use super::open_error::OpenError;
use super::reads::PendingReads;
use super::shared::{Lists, Shared, Usage};
use crate::byte_size::ByteSize;
use crate::paste::Timestamp;
use crate::store::RemovalHook;
use crate::store::seal::Keys;

/// The version of the functions in `library.lua`.
const LIBRARY_VERSION: i64 = 1;

/// The version of the keys in the engine.
const FORMAT: u64 = 1;

/// The number of shards of a new key space.
const SHARDS: u16 = 64;

/// The oldest version of Redis with functions. Valkey is newer, and names this version too.
const OLDEST_MAJOR: u32 = 7;

/// More bytes than a title, a slug and the seals take.
const MARGIN: usize = 16 * 1024;

/// An engine that passed all checks.
pub struct Opened {
    runtime: Runtime,
    connection: Connection,
    keys: Keys,
    room: usize,
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
        let opening = async {
            let connection = Connection::open(urls, runtime.handle().clone()).await;
            let mut connection = connection.map_err(|error| OpenError::of(error, "INFO"))?;
            check_engine(&connection, budget).await?;
            let time = time_of(&connection).await?;
            let meta = claim(&connection, &keys, budget, largest).await?;
            load_library(&connection).await?;
            if let Some(deadline) = meta.deadline {
                connection.set_deadline(deadline);
            }
            Ok((connection, meta, time))
        };
        let (connection, meta, time) = runtime.block_on(opening)?;
        let shards = meta.shards;
        let room = budget / usize::from(shards);
        Ok(Self {
            runtime,
            connection,
            keys,
            room,
            largest,
            meta,
            time,
        })
    }

    /// Returns the time of the engine, which all nodes use. So it does not matter what their own clocks show.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.time
    }

    pub(super) fn into_parts(
        mut self,
        removal_hook: RemovalHook,
        clock: Clock,
    ) -> (Runtime, Arc<Shared>) {
        self.connection.set_clock(clock);
        let shared = Shared {
            connection: self.connection,
            keys: self.keys,
            room: self.room,
            largest_content: self.largest,
            usage: Mutex::new(Usage::of(self.meta.shards)),
            reads: PendingReads::default(),
            reporting: tokio::sync::Mutex::default(),
            lists: Lists::default(),
            updating_codes: tokio::sync::Mutex::default(),
            removal_hook,
            shards: self.meta.shards,
            meta: self.meta.fields,
        };
        (self.runtime, Arc::new(shared))
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").finish_non_exhaustive()
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
    let (seconds, micros): (u64, u64) = time.map_err(|error| OpenError::of(error, "TIME"))?;
    Ok(Timestamp::from_millis(seconds * 1000 + micros / 1000))
}

/// Loads the functions if they are missing or older. One server of a Cluster may have others than the rest.
async fn load_library(connection: &Connection) -> Result<(), OpenError> {
    let mut ask = redis::cmd("FCALL");
    ask.arg("tidebin_version").arg(0);
    let failed = |error| OpenError::of(error, "FCALL");
    let loaded = match connection.ask_all(&ask).await {
        Ok(versions) => {
            refuse_newer(&versions)?;
            if versions.iter().all(|version| *version == LIBRARY_VERSION) {
                return Ok(());
            }
            connection.replace_library().await
        }
        Err(error) if connection::is_without_library(&error) => connection.add_library().await,
        Err(error) => return Err(failed(error)),
    };
    loaded.map_err(|error| OpenError::of(error, "FUNCTION LOAD"))?;
    tracing::info!(
        version = LIBRARY_VERSION,
        "the functions of tidebin were loaded into the engine"
    );
    let found = connection.ask_all(&ask).await.map_err(failed)?;
    refuse_newer(&found)
}

fn refuse_newer(versions: &[i64]) -> Result<(), OpenError> {
    match versions.iter().max() {
        Some(newest) if *newest > LIBRARY_VERSION => Err(OpenError::NewerLibrary(*newest)),
        _ => Ok(()),
    }
}

/// What `tb:meta` tells.
struct Meta {
    shards: u16,
    /// How long a call may take, if the operator set it.
    deadline: Option<Duration>,
    /// What the key has to have.
    fields: Vec<(&'static str, String)>,
}

/// Makes the key space tidebin's, or checks that it is.
async fn claim(
    connection: &Connection,
    keys: &Keys,
    budget: usize,
    largest: usize,
) -> Result<Meta, OpenError> {
    let fingerprint = keys
        .fingerprint()
        .map(|byte| format!("{byte:02x}"))
        .concat();
    let own = [
        ("secret", fingerprint.clone()),
        ("shards", SHARDS.to_string()),
        ("budget", budget.to_string()),
        // The last one: a node that finds it finds the others too.
        ("format", FORMAT.to_string()),
    ];
    let mut meta = read_meta(connection).await?;
    let shards = shards_of(&meta)?;
    refuse_large_paste(budget, largest, shards)?;
    if !meta.contains_key("format") {
        refuse_foreign(connection).await?;
        for (field, value) in &own {
            let set = connection.set_meta_once(field, value).await;
            set.map_err(|error| OpenError::of(error, "HSETNX"))?;
        }
        meta = read_meta(connection).await?;
    }
    let field = |name: &str| meta.get(name).map(String::as_str).unwrap_or_default();
    match field("format").parse() {
        Ok(FORMAT) => {}
        Ok(newer) if newer > FORMAT => return Err(OpenError::NewerFormat(newer)),
        _ => return Err(OpenError::Foreign),
    }
    if field("secret") != fingerprint {
        return Err(OpenError::WrongSecret);
    }
    match field("budget").parse() {
        // A node with a smaller budget would evict the pastes of all others.
        Ok(known) if budget < known => {
            return Err(OpenError::SmallerBudget {
                budget: ByteSize(budget),
                known: ByteSize(known),
            });
        }
        Ok(known) if budget == known => {}
        _ => {
            let mut set = redis::cmd("HSET");
            set.arg(META).arg("budget").arg(budget);
            let set = connection.ask::<i64>(&set).await;
            set.map_err(|error| OpenError::of(error, "HSET"))?;
        }
    }
    let shards = shards_of(&meta)?;
    let fields = own.map(|(name, value)| match name {
        "shards" => (name, shards.to_string()),
        _ => (name, value),
    });
    Ok(Meta {
        shards,
        deadline: field("deadline").parse().ok().map(Duration::from_millis),
        fields: fields.into(),
    })
}

/// Returns the number of shards: that of the operator or of the first node, or the usual one.
fn shards_of(meta: &HashMap<String, String>) -> Result<u16, OpenError> {
    let Some(text) = meta.get("shards") else {
        return Ok(SHARDS);
    };
    match text.parse() {
        Ok(shards @ 1..=SHARDS) => Ok(shards),
        _ => Err(OpenError::Shards(text.clone())),
    }
}

fn refuse_large_paste(budget: usize, largest: usize, shards: u16) -> Result<(), OpenError> {
    let shards = usize::from(shards);
    let needed = largest + MARGIN + OVERHEAD + Header::BYTES;
    if budget / shards >= needed {
        return Ok(());
    }
    Err(OpenError::PasteTooLarge {
        budget: ByteSize(budget),
        paste: ByteSize(largest),
        least: ByteSize((needed * shards).next_multiple_of(1 << 20)),
    })
}

/// Refuses a database with keys but without tidebin's. Another node that starts at the same time may have made it
/// tidebin's meanwhile. The servers of a Cluster are not asked.
async fn refuse_foreign(connection: &Connection) -> Result<(), OpenError> {
    if connection.is_cluster() {
        return Ok(());
    }
    let keys = connection.ask(&redis::cmd("DBSIZE")).await;
    let keys: u64 = keys.map_err(|error| OpenError::of(error, "DBSIZE"))?;
    let meta = read_meta(connection).await?;
    let is_ours = meta.contains_key("format") || keys <= u64::from(!meta.is_empty());
    match is_ours {
        true => Ok(()),
        false => Err(OpenError::Foreign),
    }
}

async fn read_meta(connection: &Connection) -> Result<HashMap<String, String>, OpenError> {
    let mut read = redis::cmd("HGETALL");
    read.arg(META);
    let meta = connection.ask(&read).await;
    meta.map_err(|error| OpenError::of(error, "HGETALL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_functions_is_the_one_that_they_return() {
        let line = format!("\nlocal VERSION = {LIBRARY_VERSION}\n");
        assert!(connection::LIBRARY_SOURCE.contains(&line));
    }
}
