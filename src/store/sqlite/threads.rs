//! The threads beside the writer: readers, which load pastes and lists from the disk, and the checkpointer, which
//! copies the write-ahead log (WAL) into the database, so that the writer does not have to.
//!
//! Invariants: the checkpointer never makes the writer or a reader wait (`PASSIVE`). If it falls behind, the writer
//! copies the WAL itself once it has grown too long. A failed sync ends the acknowledging, as that of a commit does. A
//! panic of a reader fails only the work that caused it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::Connection;

use crate::store::sqlite::database::files::Files;
use crate::store::sqlite::database::wal;
use crate::store::sqlite::shared::Shared;

/// The least time between two checkpoints.
const PAUSE: Duration = Duration::from_millis(100);

/// Work of a reader. It answers the clients that wait for it.
pub(crate) type Work = Box<dyn FnOnce(&Connection) + Send>;

/// Starts a thread of the store.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).spawn(run)
}

/// Starts a reader for each connection. They end when the sender is dropped.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub(crate) fn start_readers(
    connections: Vec<Connection>,
) -> io::Result<(Sender<Work>, Vec<JoinHandle<()>>)> {
    let (sender, receiver) = channel::<Work>();
    let receiver = Arc::new(Mutex::new(receiver));
    let start = |connection| {
        let receiver = Arc::clone(&receiver);
        spawn("reader", move || {
            // The other reader waits for the lock meanwhile. The guard ends before the work starts.
            let next = || receiver.lock().recv();
            while let Ok(work) = next() {
                // After a panic, the reply is dropped, and its client gets an error.
                let _ = catch_unwind(AssertUnwindSafe(|| work(&connection)));
            }
        })
    };
    let threads = connections.into_iter().map(start);
    Ok((sender, threads.collect::<Result<_, _>>()?))
}

/// Starts the checkpointer. It works after each signal, and ends when the sender is dropped.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub(crate) fn start_checkpointer(
    shared: &Arc<Shared>,
    files: &Arc<Files>,
    connection: Connection,
) -> io::Result<(SyncSender<()>, JoinHandle<()>)> {
    let (shared, files) = (Arc::clone(shared), Arc::clone(files));
    let (sender, receiver) = sync_channel(1);
    let work = move || {
        let copy = |copy: &dyn Fn() -> rusqlite::Result<()>| {
            if !shared.has_failed()
                && let Err(error) = files.copy(Duration::ZERO, copy)
            {
                shared.fail(&files.cause(error));
            }
        };
        while receiver.recv().is_ok() {
            // Several commits share one checkpoint.
            std::thread::park_timeout(PAUSE);
            copy(&|| wal::copy(&connection));
        }
        // This is the last connection after a stop. Closing it removes the log.
        copy(&|| wal::remove_at_close(&connection));
    };
    Ok((sender, spawn("checkpointer", work)?))
}
