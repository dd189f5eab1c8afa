//! The statements that the store runs on its tables.
//!
//! Every function runs in the transaction of its caller, if there is one. Statements are prepared once for each
//! connection.

use rusqlite::{Connection, OptionalExtension, Params, params};

/// A paste as its two rows hold it.
#[derive(Debug)]
pub(in crate::store::sqlite) struct StoredRow {
    pub(in crate::store::sqlite) record: Vec<u8>,
    pub(in crate::store::sqlite) counts: Option<Vec<u8>>,
    pub(in crate::store::sqlite) content: Vec<u8>,
}

pub(in crate::store::sqlite) fn insert_paste(
    connection: &Connection,
    seq: u64,
    day: u32,
    record: &[u8],
    content: &[u8],
) -> rusqlite::Result<()> {
    let seq = number(seq);
    let size = i64::try_from(content.len()).unwrap_or(i64::MAX);
    let meta = "INSERT INTO meta (seq, day, size, record) VALUES (?1, ?2, ?3, ?4)";
    run(connection, meta, params![seq, day, size, record])?;
    let body = "INSERT INTO body (seq, content) VALUES (?1, ?2)";
    run(connection, body, params![seq, content])
}

/// Replaces a paste by its next version, which has a new `seq`. Its day and its counts stay. The former content is
/// deleted first, so that its pages are free for the next one.
pub(in crate::store::sqlite) fn replace_paste(
    connection: &Connection,
    from: u64,
    to: u64,
    record: &[u8],
    content: &[u8],
) -> rusqlite::Result<()> {
    let (from, to) = (number(from), number(to));
    let size = i64::try_from(content.len()).unwrap_or(i64::MAX);
    run(connection, "DELETE FROM body WHERE seq = ?1", [from])?;
    let meta = "UPDATE meta SET seq = ?2, size = ?3, record = ?4 WHERE seq = ?1";
    run(connection, meta, params![from, to, size, record])?;
    let body = "INSERT INTO body (seq, content) VALUES (?1, ?2)";
    run(connection, body, params![to, content])
}

pub(in crate::store::sqlite) fn delete_paste(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<()> {
    run(connection, "DELETE FROM meta WHERE seq = ?1", [number(seq)])?;
    run(connection, "DELETE FROM body WHERE seq = ?1", [number(seq)])
}

pub(in crate::store::sqlite) fn update_record(
    connection: &Connection,
    seq: u64,
    record: &[u8],
) -> rusqlite::Result<()> {
    let update = "UPDATE meta SET record = ?2 WHERE seq = ?1";
    run(connection, update, params![number(seq), record])
}

pub(in crate::store::sqlite) fn update_counts(
    connection: &Connection,
    seq: u64,
    day: u32,
    counts: &[u8],
) -> rusqlite::Result<()> {
    let update = "UPDATE meta SET day = ?2, counts = ?3 WHERE seq = ?1";
    run(connection, update, params![number(seq), day, counts])
}

/// Returns the sealed record of a paste.
pub(in crate::store::sqlite) fn record(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let select = "SELECT record FROM meta WHERE seq = ?1";
    let mut statement = connection.prepare_cached(select)?;
    statement
        .query_row([number(seq)], |row| row.get(0))
        .optional()
}

/// Returns all that is stored of a paste.
pub(in crate::store::sqlite) fn paste(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<Option<StoredRow>> {
    let select = "SELECT record, counts, content FROM meta JOIN body USING (seq) WHERE seq = ?1";
    let mut statement = connection.prepare_cached(select)?;
    let row = statement.query_row([number(seq)], |row| {
        Ok(StoredRow {
            record: row.get(0)?,
            counts: row.get(1)?,
            content: row.get(2)?,
        })
    });
    row.optional()
}

pub(in crate::store::sqlite) fn insert_tombstone(
    connection: &Connection,
    seq: u64,
    sealed: &[u8],
) -> rusqlite::Result<()> {
    let insert = "INSERT INTO tombstone (seq, sealed) VALUES (?1, ?2)";
    run(connection, insert, params![number(seq), sealed])
}

/// Deletes all tombstones before this one.
pub(in crate::store::sqlite) fn delete_tombstones(
    connection: &Connection,
    before: u64,
) -> rusqlite::Result<()> {
    let delete = "DELETE FROM tombstone WHERE seq < ?1";
    run(connection, delete, [number(before)])
}

/// Returns a single value, or `None` if it was never stored.
pub(in crate::store::sqlite) fn state<T: rusqlite::types::FromSql>(
    connection: &Connection,
    name: &str,
) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached("SELECT value FROM state WHERE name = ?1")?;
    statement.query_row([name], |row| row.get(0)).optional()
}

pub(in crate::store::sqlite) fn set_state(
    connection: &Connection,
    name: &str,
    value: impl rusqlite::ToSql,
) -> rusqlite::Result<()> {
    let set =
        "INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
    run(connection, set, params![name, value])
}

fn run(connection: &Connection, statement: &str, params: impl Params) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute(params)?;
    Ok(())
}

/// SQLite's numbers are signed. No sequence number comes near their end.
fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// Returns the first column of a row: its sequence number.
pub(in crate::store::sqlite) fn seq_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<u64> {
    let seq: i64 = row.get(0)?;
    Ok(u64::try_from(seq).unwrap_or(0))
}
