//! The records of all pastes, which a start reads and opens.
//!
//! One thread reads rows, a second one opens their seals, and the caller takes the results, in the order of the rows.
//! Each does about a third of the work, so a start is faster on a machine with several cores.
//! Cost: the threads hold at most [`WAITING`] batches of [`BATCH`] rows between them.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use rusqlite::Connection;

use crate::store::seal::{Keys, Record};
use crate::store::sqlite::database::tables;

/// The number of rows that a thread gives to the next at once.
const BATCH: usize = 1024;

/// The number of batches that wait for a thread.
const WAITING: usize = 4;

/// No sealed content is larger: a paste has at most 1 GiB.
const MOST_SIZE: usize = (1 << 30) + (1 << 20);

/// A row of the table of records.
#[derive(Debug)]
pub(super) struct Row<R> {
    pub(super) seq: u64,
    /// The day of the last reading.
    pub(super) day: i64,
    /// The size of the sealed content in bytes, with the row's part of an owner. It is zero if the stored number is
    /// damaged.
    pub(super) size: usize,
    pub(super) record: R,
}

/// A row as it is stored.
type Sealed = Row<Vec<u8>>;

/// A row with its record, or `None` if that is damaged.
type Opened = Row<Option<Record>>;

/// Why not all records were read.
#[derive(Debug)]
pub(super) enum RecordsError {
    /// The database failed.
    Database(rusqlite::Error),
    /// The operating system cannot start a thread.
    Thread(io::Error),
}

/// Opens the record of every row in the order of their sequence numbers.
///
/// # Errors
/// Fails if the database does, or if the operating system cannot start a thread.
pub(super) fn for_each(
    connection: &mut Connection,
    keys: &Keys,
    mut visit: impl FnMut(Opened),
) -> Result<(), RecordsError> {
    std::thread::scope(|scope| {
        let (sealed, to_open) = sync_channel(WAITING);
        let (opened, to_visit) = sync_channel(WAITING);
        let reader = start(scope, move || read(connection, &sealed))?;
        start(scope, move || open(keys, &to_open, &opened))?;
        to_visit.into_iter().flatten().for_each(&mut visit);
        let read = reader.join().expect("a reader of rows does not panic");
        read.map_err(RecordsError::Database)
    })
}

fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, RecordsError> {
    let thread = Builder::new().name("opening".to_owned());
    thread
        .spawn_scoped(scope, work)
        .map_err(RecordsError::Thread)
}

/// Reads all rows. Ends early if the next thread has ended.
fn read(connection: &mut Connection, sealed: &SyncSender<Vec<Sealed>>) -> rusqlite::Result<()> {
    // The part of a row for its owner is charged as if it belonged to the content.
    let select = "SELECT seq, day, size, record, coalesce(length(owned_id) + length(summary), 0) \
                  FROM meta ORDER BY seq";
    let mut statement = connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let mut batch = Vec::with_capacity(BATCH);
    while let Some(row) = rows.next()? {
        let number = |column| row.get_ref(column).map(|it| it.as_i64().unwrap_or(0));
        let size = usize::try_from(number(2)?).ok();
        let size = size.filter(|size| *size <= MOST_SIZE);
        let owned = usize::try_from(number(4)?).unwrap_or(0).min(MOST_SIZE);
        batch.push(Row {
            seq: tables::seq_of(row)?,
            day: number(1)?,
            size: size.map_or(0, |size| size + owned),
            // The record of a row without a size would open, but the cost of the row is not known.
            record: match size {
                Some(_) => row.get_ref(3)?.as_blob().unwrap_or_default().to_vec(),
                None => Vec::new(),
            },
        });
        if batch.len() == BATCH {
            let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
            if sealed.send(full).is_err() {
                return Ok(());
            }
        }
    }
    // If the next thread has ended, its panic ends the caller too.
    let _ = sealed.send(batch);
    Ok(())
}

/// Opens the records of all batches.
fn open(keys: &Keys, sealed: &Receiver<Vec<Sealed>>, opened: &SyncSender<Vec<Opened>>) {
    let open = |row: Sealed| Row {
        record: Record::open(keys, row.seq, &row.record).ok(),
        seq: row.seq,
        day: row.day,
        size: row.size,
    };
    for batch in sealed {
        if opened.send(batch.into_iter().map(open).collect()).is_err() {
            return;
        }
    }
}
