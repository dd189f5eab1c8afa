//! The checkpointer: a thread that copies the log of changes into the database, so that the writer does not have to.
//!
//! Invariants: it never makes the writer or a reader wait (`PASSIVE`). If it falls behind, the writer copies the log
//! itself once it has grown too long.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::Connection;

use crate::store::sqlite::thread::Thread;

/// The least time between two checkpoints.
const PAUSE: Duration = Duration::from_millis(100);

/// Starts the checkpointer. It works after each signal, and ends when the sender is dropped.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub(super) fn start(connection: Connection) -> std::io::Result<(SyncSender<()>, Thread)> {
    let (sender, receiver) = sync_channel(1);
    let thread = Thread::start("checkpointer", move || checkpoint(&connection, &receiver))?;
    Ok((sender, thread))
}

fn checkpoint(connection: &Connection, signals: &Receiver<()>) {
    while signals.recv().is_ok() {
        // Several commits share one checkpoint.
        std::thread::park_timeout(PAUSE);
        let done = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = done {
            tracing::debug!(%error, "the log was not copied into the database");
        }
    }
}
