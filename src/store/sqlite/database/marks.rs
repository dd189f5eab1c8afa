//! The marks of commits, by which a write-ahead log (WAL) is known to belong to its database.
//!
//! SQLite applies every whole log to the database beside it, and so destroys one that was replaced, or one whose log
//! was. So each commit leaves a mark in the table of single values, a number that grows by a random step, with the mark
//! of the commit before it.
//! Invariant: a database has the mark of a commit in its log, or the one before the first of them.
//! Cost: one more page in the log for each commit. A start after a crash reads the head of each page in the log.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::memmem;
use rusqlite::{Connection, OptionalExtension};

use super::{tables, wal};
use crate::store::sqlite::limits::PAGE;

/// The name of the marks in the table. In its page they follow it.
const NAME: &str = "marks of commits";

/// The mark of the latest commit, and that of the commit before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) latest: u64,
    former: u64,
}

impl Marks {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let ([latest, former], _) = bytes.as_chunks() else {
            return None;
        };
        let [latest, former] = [*latest, *former].map(u64::from_be_bytes);
        Some(Self { latest, former })
    }

    /// Returns the marks in a page of this file. Copies that SQLite left in the gap of the page are older.
    pub(crate) fn at(file: &File, offset: u64) -> Option<Self> {
        let mut page = [0; PAGE];
        file.read_exact_at(&mut page, offset).ok()?;
        let places = memmem::find_iter(&page, NAME);
        let marks = places.filter_map(|at| Self::parse(page.get(at + NAME.len()..)?.get(..16)?));
        marks.max_by_key(|marks| marks.latest)
    }
}

/// Marks the commit of the transaction in progress, once.
pub(crate) fn renew(connection: &Connection) -> rusqlite::Result<()> {
    let known: Option<Vec<u8>> = tables::state(connection, NAME)?;
    let former = known.and_then(|it| Marks::parse(&it)).unwrap_or_default();
    let step: u64 = tables::number(connection, "SELECT 1 + (random() & 0xffffff)")?;
    let marks = [former.latest + step, former.latest].map(u64::to_be_bytes);
    tables::set_state(connection, NAME, marks.as_flattened())
}

/// Returns where in the database the marks are, or `None` if it has no tables yet.
pub(crate) fn place(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    let select = "SELECT rootpage FROM sqlite_schema WHERE name = 'state'";
    let page = connection.query_row(select, [], |row| row.get::<_, u64>(0));
    let page = page.optional()?;
    Ok(page.map(|page| page.saturating_sub(1) * PAGE as u64))
}

/// Returns false if the log begins where the database never was, or ends before where it is. Without marks this cannot
/// be known.
pub(crate) fn log_belongs(
    connection: &Connection,
    database: &File,
    log: &Path,
) -> rusqlite::Result<bool> {
    let frames: i64 = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1))?;
    let (Some(place), Ok(log)) = (place(connection)?, File::open(log)) else {
        return Ok(true);
    };
    let Some(Marks { latest, .. }) = Marks::at(database, place) else {
        return Ok(true);
    };
    let mut has_marks = false;
    for frame in 0..frames.cast_unsigned() {
        let (mut page, at) = ([0; 4], wal::frame(frame));
        let is_read = log.read_exact_at(&mut page, at).is_ok();
        let page = u64::from(u32::from_be_bytes(page)).saturating_sub(1) * PAGE as u64;
        if is_read
            && page == place
            && let Some(marks) = Marks::at(&log, at + wal::FRAME_HEADER)
        {
            if latest == marks.latest || latest == marks.former {
                return Ok(true);
            }
            has_marks = true;
        }
    }
    Ok(!has_marks)
}
