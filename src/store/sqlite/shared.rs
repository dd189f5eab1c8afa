//! The state that the threads of a durable store share.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use tokio::sync::watch;

use crate::paste::PasteId;
use crate::store::moderation::{Moderation, Row};
use crate::store::seal::{Keys, RowKey};
use crate::store::sqlite::database;
use crate::store::sqlite::limits::Limits;
use crate::store::sqlite::state::{Cached, Removal, State};
use crate::store::{RemovalHook, StoreError};

/// The state that the callers, the writer and the readers share.
pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) keys: Keys,
    pub(super) limits: Limits,
    pub(super) moderation: Moderation,
    /// The number of tombstones that are kept.
    pub(super) most_tombstones: u64,
    /// True once the database failed, so that nothing can be acknowledged any more.
    pub(super) failed: watch::Sender<bool>,
    removal_hook: RemovalHook,
    pub(super) commits: Commits,
}

/// Counts the transactions of callers, and the time that they took to sync.
#[derive(Debug, Default)]
pub(super) struct Commits {
    count: AtomicU64,
    millis: AtomicU64,
}

impl Commits {
    /// Counts a commit. The clock counts milliseconds, so the time of one is inexact. The sum of many is not.
    pub(super) fn count(&self, took: Duration) {
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.millis.fetch_add(millis, Ordering::Relaxed);
    }

    /// Returns the number of commits and their time.
    pub(super) fn totals(&self) -> (u64, Duration) {
        let millis = self.millis.load(Ordering::Relaxed);
        let count = self.count.load(Ordering::Relaxed);
        (count, Duration::from_millis(millis))
    }
}

impl Shared {
    pub(super) fn new(state: State, keys: Keys, limits: Limits, removal_hook: RemovalHook) -> Self {
        Self {
            most_tombstones: state.catalog.most_tombstones() as u64,
            state: Mutex::new(state),
            keys,
            limits,
            moderation: Moderation::default(),
            failed: watch::Sender::new(false),
            removal_hook,
            commits: Commits::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Reads the lists of blocked contents, of reports and of reserved ids from the database. Damaged rows are left
    /// where they are.
    pub(super) fn read_moderation(&self, connection: &Connection) -> rusqlite::Result<()> {
        let rows = database::moderation::rows(connection)?;
        let stored = rows.len();
        let open =
            |(seq, sealed): (u64, Vec<u8>)| Some((seq, Row::open(&self.keys, seq, &sealed).ok()?));
        let rows: Vec<_> = rows.into_iter().filter_map(open).collect();
        let damaged = stored - rows.len();
        if damaged > 0 {
            tracing::error!(
                damaged,
                "blocked contents, reports or reserved addresses cannot be read"
            );
        }
        self.moderation
            .replace(rows, |id| self.keys.row_key(id).as_id());
        Ok(())
    }

    /// Notes that the database failed. Nothing is acknowledged from now on.
    pub(super) fn fail(&self, error: &dyn fmt::Display) {
        if !self.failed.send_replace(true) {
            tracing::error!(%error, "the database failed: the server stops, so that it acknowledges nothing that may be lost");
        }
    }

    /// Ends the loading of a paste, and tells the callers that wait for it. One may have gone away.
    pub(super) fn finish_loading(&self, key: RowKey, seq: u64, loaded: Result<Cached, StoreError>) {
        let mut left = Vec::new();
        let (waiting, loaded) = self.lock().finish_loading(key, seq, loaded, &mut left);
        self.release_cached(left);
        for reply in waiting {
            let _ = reply.send(loaded.clone());
        }
    }

    /// Frees removed pastes, and calls the hook for those that were in memory. The caller must not hold the lock.
    pub(super) fn release(&self, removed: Vec<Removal>) {
        self.release_cached(removed.into_iter().filter_map(|removal| removal.cached));
    }

    /// Calls the hook for a paste that was changed. The caller must not hold the lock.
    pub(super) fn changed(&self, id: PasteId) {
        (self.removal_hook)(id);
    }

    /// Frees pastes that left the cache, and calls the hook for each. So data derived from a paste is kept only while
    /// the paste is in memory. The caller must not hold the lock.
    pub(super) fn release_cached(&self, left: impl IntoIterator<Item = Cached>) {
        for cached in left {
            (self.removal_hook)(cached.id);
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl AsRef<Keys> for Shared {
    fn as_ref(&self) -> &Keys {
        &self.keys
    }
}
