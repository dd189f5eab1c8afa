//! The marks by which a write-ahead log (WAL) is known to belong to its database.
//!
//! SQLite applies every whole log to the database beside it, and so destroys one that was replaced, or one whose log
//! was. So the first commit after a copy of the log into the database leaves a mark in the table of single values: a
//! number that grows by a random step, with the mark before it.
//! Invariant: a database has a mark of its log, or the one before the first of them. A log that was replaced by another
//! one goes unnoticed only if nothing was copied between them.
//! Cost: one more page in the log for each copy. A start after a crash reads the head of each page in the log.

use std::fs::File;
use std::path::Path;

use memchr::memmem;
use rusqlite::Connection;

use super::{tables, wal};
use crate::store::sqlite::limits::PAGE;

/// The name of the marks in the table. In its page they follow it.
const NAME: &str = "marks of commits";

/// The latest mark, and the one before it.
#[derive(Clone, Copy)]
struct Marks {
    latest: u64,
    former: u64,
}

impl Marks {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (latest, rest) = bytes.split_first_chunk()?;
        let [latest, former] = [latest, rest.first_chunk()?].map(|it| u64::from_be_bytes(*it));
        Some(Self { latest, former })
    }

    /// Returns the marks in a page of this file. Copies that SQLite left in the gap of the page are older.
    fn at(file: &File, offset: u64) -> Option<Self> {
        let page: [u8; PAGE] = wal::read_at(file, offset);
        let places = memmem::find_iter(&page, NAME);
        let marks = places.filter_map(|at| Self::parse(&page[at + NAME.len()..]));
        marks.max_by_key(|marks| marks.latest)
    }
}

/// Marks the commit of the transaction in progress.
pub(crate) fn renew(connection: &Connection) -> rusqlite::Result<()> {
    let known: Option<Vec<u8>> = tables::state(connection, NAME)?;
    let former = known
        .and_then(|it| Marks::parse(&it))
        .map_or(0, |it| it.latest);
    let step = "SELECT 1 + (random() & 0xffffff)";
    let step: u64 = (connection.prepare_cached(step)?).query_row([], |row| row.get(0))?;
    let marks = [former + step, former].map(u64::to_be_bytes);
    tables::set_state(connection, NAME, marks.as_flattened())
}

/// Returns where in the database the marks are. One without tables has none in its first page either.
fn place(connection: &Connection) -> rusqlite::Result<u64> {
    let select = "SELECT coalesce(max(rootpage), 1) FROM sqlite_schema WHERE name = 'state'";
    let page = tables::number(connection, select)?;
    Ok(wal::place_of(page))
}

/// Returns false if the log begins where the database never was, or ends before where it is. Without marks this cannot
/// be known. The log of a backup is always that of another database.
pub(crate) fn log_belongs(
    connection: &Connection,
    database: &File,
    log: &Path,
) -> rusqlite::Result<bool> {
    let frames: i64 = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1))?;
    // The header tells that there never was a log (bytes 18 and 19; see the file format of SQLite, 1.3.3).
    if frames > 0 && wal::read_at(database, 18) == [1, 1] {
        return Ok(false);
    }
    let place = place(connection)?;
    let (Some(Marks { latest, .. }), Ok(log)) = (Marks::at(database, place), File::open(log))
    else {
        return Ok(true);
    };
    let frames = (0..frames).map(|frame| wal::frame(frame.cast_unsigned()));
    let of_marks = frames.filter(|at| {
        let page = u32::from_be_bytes(wal::read_at(&log, *at));
        wal::place_of(page) == place
    });
    let marks = of_marks.filter_map(|at| Marks::at(&log, at + wal::FRAME_HEADER));
    let mut marks = marks.peekable();
    Ok(marks.peek().is_none() || marks.any(|it| latest == it.latest || latest == it.former))
}
