//! The state that the threads of a durable store share.

use std::fmt;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use tokio::sync::watch;

use crate::store::moderation::{Moderation, Row};
use crate::store::seal::{Keys, RowKey};
use crate::store::sqlite::database::tables;
use crate::store::sqlite::limits::Limits;
use crate::store::sqlite::state::{Cached, Removal, State};
use crate::store::{RemovalHook, StoreError};

/// The state that the callers, the writer and the readers share.
pub(crate) struct Shared {
    state: Mutex<State>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) limits: Limits,
    pub(crate) moderation: Moderation,
    /// True once the database failed, so that nothing can be acknowledged any more.
    pub(crate) failed: watch::Sender<bool>,
    pub(crate) removal_hook: RemovalHook,
}

impl Shared {
    pub(crate) fn new(state: State, keys: Keys, limits: Limits, removal_hook: RemovalHook) -> Self {
        Self {
            state: Mutex::new(state),
            keys: Arc::new(keys),
            limits,
            moderation: Moderation::default(),
            failed: watch::Sender::new(false),
            removal_hook,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Reads the lists of blocked contents, of reports and of reserved ids from the database. Damaged rows are left
    /// where they are.
    pub(crate) fn read_moderation(&self, connection: &Connection) -> rusqlite::Result<()> {
        let (mut rows, mut damaged) = (Vec::new(), 0);
        tables::for_each_sealed(connection, "moderation", |seq, sealed| {
            match Row::open(&self.keys, seq, sealed) {
                Ok(row) => rows.push((seq, row)),
                Err(_) => damaged += 1,
            }
        })?;
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

    pub(crate) fn has_failed(&self) -> bool {
        *self.failed.borrow()
    }

    /// Notes that the database failed. Nothing is acknowledged from now on.
    pub(crate) fn fail(&self, error: &dyn fmt::Display) {
        if !self.failed.send_replace(true) {
            tracing::error!(%error, "the database failed: the server stops, so that it acknowledges nothing that may be lost");
        }
    }

    /// Ends the loading of a paste, and tells the callers that wait for it. One may have gone away.
    pub(crate) fn finish_loading(&self, key: RowKey, seq: u64, loaded: Result<Cached, StoreError>) {
        let (waiting, loaded, left) = self.lock().finish_loading(key, seq, loaded);
        self.release_cached(left);
        for reply in waiting {
            let _ = reply.send(loaded.clone());
        }
    }

    /// Frees removed pastes, and calls the hook for those that were in memory. The caller must not hold the lock.
    pub(crate) fn release(&self, removed: Vec<Removal>) {
        self.release_cached(removed.into_iter().filter_map(|removal| removal.cached));
    }

    /// Frees pastes that left the cache, and calls the hook for each. So data derived from a paste is kept only while
    /// the paste is in memory. The caller must not hold the lock.
    pub(crate) fn release_cached(&self, left: impl IntoIterator<Item = Cached>) {
        for cached in left {
            (self.removal_hook)(cached.id);
        }
    }
}
