//! Opens the store that the configuration asks for: in memory, or in a data directory.
//!
//! Invariants: without a data directory nothing is written to disk. With one, the server does not start unless the
//! directory can be used as it was left, and the clock is never before the latest time that the database has seen.

use std::io;
use std::time::Duration;

use crate::clock::Clock;
use crate::config::{ByteSize, Config, DataDir, KeyUse, Secret};
use crate::store::memory::Budget;
use crate::store::sqlite::seal::Keys;
use crate::store::sqlite::{self, Found, Opened};
use crate::store::{RemovalHook, Store};

/// A difference of clocks that is logged. Smaller ones are usual.
const LARGE_STEP: Duration = Duration::from_secs(60);

/// Returns the configured secret, the one that is kept in the data directory, or a random one.
///
/// # Errors
/// If the secret cannot be read or made.
pub(super) fn secret_of(config: &Config) -> io::Result<Secret> {
    if let Some(data) = &config.data {
        data.create().map_err(io::Error::other)?;
    }
    match (&config.secret, &config.data) {
        (Some(secret), _) => Ok(secret.clone()),
        (None, Some(data)) => data.secret().map_err(io::Error::other),
        (None, None) => Secret::random(),
    }
}

/// Opens the store. The clock is set to the latest time that the database has seen, if that is later.
///
/// # Errors
/// If the data directory cannot be used. The message tells what to do.
pub(super) fn open(
    config: &Config,
    secret: &Secret,
    clock: &mut Clock,
    removal_hook: RemovalHook,
) -> io::Result<Store> {
    let memory = config.max_store_size;
    let Some(data) = &config.data else {
        let clock = clock.clone();
        let clock = move || clock.timestamp();
        return Store::in_memory(Budget::new(memory), removal_hook, clock);
    };
    let start = clock.elapsed();
    let keys = Keys::new(&secret.derive(KeyUse::Storage));
    let opened = Opened::open(data.path(), data.max_disk, memory, keys);
    let opened = opened.map_err(io::Error::other)?;
    let behind = clock.catch_up_with(opened.last_seen());
    if behind > LARGE_STEP {
        let seconds = behind.as_secs();
        tracing::warn!(
            seconds,
            "the clock is behind the last time the database has seen: that time is used instead"
        );
    }
    let took = clock.elapsed().saturating_sub(start);
    announce(data, opened.found(clock.timestamp()), took);
    let clock = clock.clone();
    let store = sqlite::Store::start(opened, removal_hook, move || clock.timestamp());
    store.map(Store::Sqlite).map_err(io::Error::other)
}

/// Logs what was found in the data directory.
fn announce(data: &DataDir, found: Found, took: Duration) {
    let Found {
        pastes,
        bytes,
        expired,
        damaged,
    } = found;
    tracing::info!(
        directory = %data.path().display(),
        pastes,
        used = %ByteSize(bytes),
        max_disk = %ByteSize(data.max_disk),
        expired,
        damaged,
        milliseconds = took.as_millis(),
        "the data directory is open"
    );
}
