//! The statements that the store runs on its tables, except those of one line that the transaction has itself.
//!
//! Every function runs in the transaction of its caller, if there is one. Statements are prepared once for each
//! connection.

use rusqlite::types::{FromSql, ToSql};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use crate::store::seal::Ownership;

const DELETE_BODY: &str = "DELETE FROM body WHERE seq = ?1";

/// A row of an owner's list.
pub(crate) struct OwnedRow {
    pub(crate) seq: u64,
    pub(crate) place: u64,
    pub(crate) id: Vec<u8>,
    pub(crate) summary: Vec<u8>,
    pub(crate) slug: Option<Vec<u8>>,
    pub(crate) record: Vec<u8>,
    pub(crate) counts: Option<Vec<u8>>,
}

/// Stores a new paste. The place in the list of its owner is its `seq`.
pub(crate) fn insert_paste(
    connection: &Connection,
    seq: u64,
    day: u64,
    record: &[u8],
    content: &[u8],
    ownership: Option<&Ownership>,
) -> rusqlite::Result<()> {
    let meta = "INSERT INTO meta (seq, day, size, record, owner, place, owned_id, summary, slug) \
                VALUES (?1, ?2, ?3, ?4, ?5, iif(?5 IS NULL, NULL, ?1), ?6, ?7, ?8)";
    let params = params![
        seq,
        day,
        content.len(),
        record,
        ownership.map(|it| it.owner),
        ownership.map(|it| &it.id),
        ownership.map(|it| &it.summary),
        ownership.and_then(|it| it.slug.as_ref())
    ];
    run(connection, meta, params)?;
    insert_body(connection, seq, content)
}

/// Replaces a paste by its next version, which has a new `seq`. Its day, its counts and its owner stay. The former
/// content is deleted first, so that its pages are free for the next one.
pub(crate) fn replace_paste(
    connection: &Connection,
    (from, to): (u64, u64),
    record: &[u8],
    content: &[u8],
    summary: Option<&[u8]>,
) -> rusqlite::Result<()> {
    run(connection, DELETE_BODY, [from])?;
    let meta = "UPDATE meta SET seq = ?2, size = ?3, record = ?4, summary = ?5 WHERE seq = ?1";
    let params = params![from, to, content.len(), record, summary];
    run(connection, meta, params)?;
    insert_body(connection, to, content)
}

fn insert_body(connection: &Connection, seq: u64, content: &[u8]) -> rusqlite::Result<()> {
    let body = "INSERT INTO body (seq, content) VALUES (?1, ?2)";
    run(connection, body, params![seq, content])
}

/// Deletes a paste. Returns the keyed hash of its owner if the paste had a slug.
pub(crate) fn delete_paste(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<Option<[u8; 16]>> {
    let delete = "DELETE FROM meta WHERE seq = ?1 RETURNING iif(slug IS NULL, NULL, owner)";
    let owner = find(connection, delete, [seq], |row| row.get(0))?;
    run(connection, DELETE_BODY, [seq])?;
    Ok(owner.flatten())
}

/// Returns the sealed record of a paste.
pub(crate) fn record(connection: &Connection, seq: u64) -> rusqlite::Result<Option<Vec<u8>>> {
    let select = "SELECT record FROM meta WHERE seq = ?1";
    find(connection, select, [seq], |row| row.get(0))
}

/// The record of a paste and its counts, sealed.
type CountedRecord = (Vec<u8>, Option<Vec<u8>>);

/// Returns the record of a paste and its counts.
pub(crate) fn counted_record(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<Option<CountedRecord>> {
    let select = "SELECT record, counts FROM meta WHERE seq = ?1";
    find(connection, select, [seq], |row| row.try_into())
}

/// The record of a paste, its counts, its content and its summary, all sealed.
type StoredRow = (Vec<u8>, Option<Vec<u8>>, Vec<u8>, Option<Vec<u8>>);

/// Returns all that is stored of a paste.
pub(crate) fn paste(connection: &Connection, seq: u64) -> rusqlite::Result<Option<StoredRow>> {
    let select = "SELECT record, counts, content, summary FROM meta JOIN body USING (seq) \
                  WHERE seq = ?1";
    find(connection, select, [seq], |row| row.try_into())
}

/// Returns at most this many rows of an owner: those before this place, the last first.
pub(crate) fn owned(
    connection: &Connection,
    owner: &[u8; 16],
    before: Option<u64>,
    most: usize,
) -> rusqlite::Result<Vec<OwnedRow>> {
    let select = "SELECT seq, place, owned_id, summary, record, counts, slug FROM meta \
                  WHERE owner = ?1 AND place < ?2 ORDER BY place DESC LIMIT ?3";
    let mut statement = connection.prepare_cached(select)?;
    // SQLite's numbers are signed.
    let before = before.map_or(i64::MAX, |it| i64::try_from(it).unwrap_or(i64::MAX));
    let rows = statement.query_map(params![owner, before, most], |row| {
        Ok(OwnedRow {
            seq: seq_in(row, 0)?,
            place: seq_in(row, 1)?,
            id: row.get(2)?,
            summary: row.get(3)?,
            record: row.get(4)?,
            counts: row.get(5)?,
            slug: row.get(6)?,
        })
    })?;
    rows.collect()
}

/// Returns a number that is never negative. One that damage made so is 0, which is the number of no row: its record
/// does not open then, and everything else goes on.
pub(crate) fn seq_in(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    Ok(u64::try_from(number).unwrap_or(0))
}

/// Passes each sealed row to this function, in the order of the numbers.
pub(crate) fn for_each_sealed(
    connection: &Connection,
    table: &str,
    mut visit: impl FnMut(u64, &[u8]),
) -> rusqlite::Result<()> {
    let select = format!("SELECT seq, sealed FROM {table} ORDER BY seq");
    let mut statement = connection.prepare(&select)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        visit(
            seq_in(row, 0)?,
            row.get_ref(1)?.as_blob().unwrap_or_default(),
        );
    }
    Ok(())
}

/// Returns a single value, or `None` if it was never stored.
pub(crate) fn state<T: FromSql>(
    connection: &Connection,
    name: &str,
) -> rusqlite::Result<Option<T>> {
    let select = "SELECT value FROM state WHERE name = ?1";
    find(connection, select, [name], |row| row.get(0))
}

pub(crate) fn set_state(
    connection: &Connection,
    name: &str,
    value: impl ToSql,
) -> rusqlite::Result<()> {
    let set =
        "INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
    run(connection, set, params![name, value])
}

/// Returns the number that a statement gives.
pub(crate) fn number<T: FromSql>(connection: &Connection, statement: &str) -> rusqlite::Result<T> {
    connection.query_row(statement, [], |row| row.get(0))
}

/// Runs a statement that gives no rows.
pub(crate) fn run(
    connection: &Connection,
    statement: &str,
    params: impl Params,
) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute(params)?;
    Ok(())
}

/// Returns the row that a statement gives, if there is one.
fn find<T>(
    connection: &Connection,
    statement: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached(statement)?;
    statement.query_row(params, read).optional()
}
