//! SQLite without the store: the same tables and settings, one thread, and a transaction for all queued saves.
//!
//! Nothing is sealed, compressed or indexed in memory, and the thread itself copies the log into the database.

use std::path::Path;

use rusqlite::{Connection, params};

use crate::synced_log::Batches;

const SET_UP: &str = "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4096;
    CREATE TABLE meta (seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, size INTEGER NOT NULL, record BLOB NOT NULL,
                       counts BLOB) STRICT;
    CREATE TABLE body (seq INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;";

/// The bytes of a sealed record.
const RECORD: usize = tidebin::store::seal::Record::SEALED;

/// Starts a database in this directory.
pub(crate) fn start(directory: &Path) -> Batches {
    let connection = Connection::open(directory.join("bare.db")).unwrap();
    connection.execute_batch(SET_UP).unwrap();
    let mut seq = 0_i64;
    Batches::start(move |records| {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        for record in records {
            seq += 1;
            insert(&connection, seq, record).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
    })
}

fn insert(connection: &Connection, seq: i64, content: &[u8]) -> rusqlite::Result<usize> {
    let meta = "INSERT INTO meta (seq, day, size, record) VALUES (?1, ?2, ?3, ?4)";
    let size = i64::try_from(content.len()).unwrap();
    let row = params![seq, 20_000, size, &content[..RECORD]];
    connection.prepare_cached(meta)?.execute(row)?;
    let body = "INSERT INTO body (seq, content) VALUES (?1, ?2)";
    connection
        .prepare_cached(body)?
        .execute(params![seq, content])
}
