//! The readers: threads that load pastes from the disk.
//!
//! Invariants: a paste is loaded once, however many clients wait for it. A loaded paste enters the cache only if it is
//! still the present version. A damaged paste fails alone, and is logged once. A panic fails the paste that caused it.
//! Cost: one look-up in two tables, and opening the seal. Each reader holds one paste, or one page of a list, at a
//! time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;
use rusqlite::Connection;

use crate::paste::PasteId;
use crate::store::StoreError;
use crate::store::entry::Entry;
use crate::store::seal::Record;
use crate::store::seal::RowKey;
use crate::store::sqlite::database::tables;
use crate::store::sqlite::listing::{self, List};
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::state::Cached;
use crate::store::sqlite::thread::Thread;

/// The request of a client that waits.
#[derive(Debug)]
pub(super) enum Request {
    Load(Load),
    List(List),
}

/// A paste that a client waits for.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) id: PasteId,
    pub(super) key: RowKey,
    pub(super) seq: u64,
}

/// Starts a reader for each connection. They end when the sender is dropped.
///
/// # Errors
/// Fails if the operating system cannot start a thread.
pub(super) fn start(
    shared: &Arc<Shared>,
    connections: impl IntoIterator<Item = Connection>,
) -> std::io::Result<(Sender<Request>, Vec<Thread>)> {
    let (sender, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    let start = |connection| {
        let (shared, receiver) = (Arc::clone(shared), Arc::clone(&receiver));
        Thread::start("reader", move || read(&shared, &connection, &receiver))
    };
    let threads = connections.into_iter().map(start);
    Ok((sender, threads.collect::<Result<_, _>>()?))
}

fn read(shared: &Shared, connection: &Connection, receiver: &Mutex<Receiver<Request>>) {
    loop {
        // The other reader waits for the lock meanwhile. The guard ends before the paste is loaded.
        let load = match receiver.lock().recv() {
            Ok(Request::Load(load)) => load,
            Ok(Request::List(list)) => {
                // After a panic, the reply is dropped, and its client is told.
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    listing::serve(shared, connection, list)
                }));
                continue;
            }
            Err(_) => return,
        };
        if shared.lock().give_up_loading(load.key) {
            continue;
        }
        let fetched = catch_unwind(AssertUnwindSafe(|| fetch(shared, connection, &load)));
        let loaded = fetched.unwrap_or(Err(StoreError::Failed));
        shared.finish_loading(load.key, load.seq, loaded);
    }
}

/// Loads a paste from the disk.
pub(super) fn fetch(
    shared: &Shared,
    connection: &Connection,
    load: &Load,
) -> Result<Cached, StoreError> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        if shared.lock().is_new_damage(load.key) {
            tracing::error!(seq = load.seq, %error, "{what}");
        }
        StoreError::Failed
    };
    let row = tables::paste(connection, load.seq)
        .map_err(|error| failed("a paste cannot be read from the disk", &error))?;
    let row = row.ok_or(StoreError::Changed)?;
    let keys = &shared.keys;
    let damaged = |error| failed("a paste on the disk is damaged", &error);
    let record = Record::open(keys, load.seq, &row.record).map_err(damaged)?;
    // A transaction that failed had given this number to the paste, and a later one gave it to another paste.
    if record.key != load.key {
        return Err(StoreError::Changed);
    }
    let paste = keys
        .open_paste(load.id, &record, &row.content)
        .map_err(damaged)?;
    let mut entry = Entry::new(paste, 0);
    if let Some(counts) = row.counts {
        let (total, reads) = keys.open_counts(load.key, &counts).map_err(damaged)?;
        entry.set_counts(total, reads);
    }
    Ok(Cached {
        id: load.id,
        entry,
        is_dirty: false,
    })
}
