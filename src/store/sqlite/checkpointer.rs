//! The checkpointer: a thread that copies the write-ahead log (WAL) into the database, so that the writer does not have
//! to.
//!
//! Invariants: it never makes the writer or a reader wait (`PASSIVE`). If it falls behind, the writer copies the WAL
//! itself once it has grown too long. A failed sync ends the acknowledging, as that of a commit does.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::Connection;

use crate::store::sqlite::database::wal;
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::thread::Thread;

/// The least time between two checkpoints.
const PAUSE: Duration = Duration::from_millis(100);

/// Starts the checkpointer. It works after each signal, and ends when the sender is dropped.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub(super) fn start(
    shared: &Arc<Shared>,
    connection: Connection,
) -> std::io::Result<(SyncSender<()>, Thread)> {
    let shared = Arc::clone(shared);
    let (sender, receiver) = sync_channel(1);
    let thread = Thread::start("checkpointer", move || {
        checkpoint(&shared, &connection, &receiver)
    })?;
    Ok((sender, thread))
}

fn checkpoint(shared: &Shared, connection: &Connection, signals: &Receiver<()>) {
    while signals.recv().is_ok() {
        // Several commits share one checkpoint.
        std::thread::park_timeout(PAUSE);
        if let Err(error) = wal::copy(connection) {
            return shared.fail(&error);
        }
    }
}
