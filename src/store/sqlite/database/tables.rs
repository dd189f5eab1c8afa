//! The statements that the store runs on its tables.
//!
//! Every function runs in the transaction of its caller, if there is one. Statements are prepared once for each
//! connection.

use rusqlite::{Connection, OptionalExtension, Params, params};

/// The part of the row of a paste with an owner, besides its record and its counts.
#[derive(Debug)]
pub(crate) struct Ownership {
    /// The keyed hash of the owner.
    pub(crate) owner: [u8; 16],
    /// The sealed id.
    pub(crate) id: Vec<u8>,
    /// The sealed summary.
    pub(crate) summary: Vec<u8>,
    /// The sealed slug, if the paste has one.
    pub(crate) slug: Option<Vec<u8>>,
}

/// A row of an owner's list.
#[derive(Debug)]
pub(crate) struct OwnedRow {
    pub(crate) place: u64,
    pub(crate) id: Vec<u8>,
    pub(crate) summary: Vec<u8>,
    pub(crate) slug: Option<Vec<u8>>,
    pub(crate) record: Vec<u8>,
    pub(crate) counts: Option<Vec<u8>>,
}

/// A paste as its two rows hold it.
#[derive(Debug)]
pub(crate) struct StoredRow {
    pub(crate) record: Vec<u8>,
    pub(crate) counts: Option<Vec<u8>>,
    pub(crate) content: Vec<u8>,
}

pub(crate) fn insert_paste(
    connection: &Connection,
    seq: u64,
    day: u32,
    record: &[u8],
    content: &[u8],
    ownership: Option<&Ownership>,
) -> rusqlite::Result<()> {
    let seq = number(seq);
    let size = i64::try_from(content.len()).unwrap_or(i64::MAX);
    match ownership {
        None => {
            let meta = "INSERT INTO meta (seq, day, size, record) VALUES (?1, ?2, ?3, ?4)";
            run(connection, meta, params![seq, day, size, record])?;
        }
        Some(Ownership {
            owner,
            id,
            summary,
            slug,
        }) => {
            let meta = "INSERT INTO meta (seq, day, size, record, owner, place, owned_id, summary, slug) \
                        VALUES (?1, ?2, ?3, ?4, ?5, ?1, ?6, ?7, ?8)";
            let params = params![seq, day, size, record, owner, id, summary, slug];
            run(connection, meta, params)?;
        }
    }
    let body = "INSERT INTO body (seq, content) VALUES (?1, ?2)";
    run(connection, body, params![seq, content])
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
    let (from, to) = (number(from), number(to));
    let size = i64::try_from(content.len()).unwrap_or(i64::MAX);
    run(connection, "DELETE FROM body WHERE seq = ?1", [from])?;
    let meta = "UPDATE meta SET seq = ?2, size = ?3, record = ?4, summary = ?5 WHERE seq = ?1";
    run(connection, meta, params![from, to, size, record, summary])?;
    let body = "INSERT INTO body (seq, content) VALUES (?1, ?2)";
    run(connection, body, params![to, content])
}

/// Deletes a paste. Returns the keyed hash of its owner if the paste had a slug.
pub(crate) fn delete_paste(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<Option<[u8; 16]>> {
    let delete = "DELETE FROM meta WHERE seq = ?1 RETURNING iif(slug IS NULL, NULL, owner)";
    let mut statement = connection.prepare_cached(delete)?;
    let owner = statement.query_row([number(seq)], |row| row.get(0));
    let owner: Option<Option<[u8; 16]>> = owner.optional()?;
    run(connection, "DELETE FROM body WHERE seq = ?1", [number(seq)])?;
    Ok(owner.flatten())
}

pub(crate) fn update_record(
    connection: &Connection,
    seq: u64,
    record: &[u8],
) -> rusqlite::Result<()> {
    let update = "UPDATE meta SET record = ?2 WHERE seq = ?1";
    run(connection, update, params![number(seq), record])
}

pub(crate) fn update_counts(
    connection: &Connection,
    seq: u64,
    day: u32,
    counts: &[u8],
) -> rusqlite::Result<()> {
    let update = "UPDATE meta SET day = ?2, counts = ?3 WHERE seq = ?1";
    run(connection, update, params![number(seq), day, counts])
}

/// Returns the sealed record of a paste.
pub(crate) fn record(connection: &Connection, seq: u64) -> rusqlite::Result<Option<Vec<u8>>> {
    let select = "SELECT record FROM meta WHERE seq = ?1";
    let mut statement = connection.prepare_cached(select)?;
    statement
        .query_row([number(seq)], |row| row.get(0))
        .optional()
}

/// Returns all that is stored of a paste.
pub(crate) fn paste(connection: &Connection, seq: u64) -> rusqlite::Result<Option<StoredRow>> {
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

/// Returns at most this many rows of an owner, with their sequence numbers: those before this place, the last first.
pub(crate) fn owned(
    connection: &Connection,
    owner: &[u8; 16],
    before: Option<u64>,
    most: usize,
) -> rusqlite::Result<Vec<(u64, OwnedRow)>> {
    let select = "SELECT seq, place, owned_id, summary, record, counts, slug FROM meta \
                  WHERE owner = ?1 AND place < ?2 ORDER BY place DESC LIMIT ?3";
    let mut statement = connection.prepare_cached(select)?;
    let before = before.map_or(i64::MAX, number);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![owner, before, most], |row| {
        let place: i64 = row.get(1)?;
        let owned = OwnedRow {
            place: u64::try_from(place).unwrap_or(0),
            id: row.get(2)?,
            summary: row.get(3)?,
            record: row.get(4)?,
            counts: row.get(5)?,
            slug: row.get(6)?,
        };
        Ok((seq_of(row)?, owned))
    })?;
    rows.collect()
}

pub(crate) fn insert_tombstone(
    connection: &Connection,
    seq: u64,
    sealed: &[u8],
) -> rusqlite::Result<()> {
    let insert = "INSERT INTO tombstone (seq, sealed) VALUES (?1, ?2)";
    run(connection, insert, params![number(seq), sealed])
}

/// Deletes all tombstones before this one.
pub(crate) fn delete_tombstones(connection: &Connection, before: u64) -> rusqlite::Result<()> {
    let delete = "DELETE FROM tombstone WHERE seq < ?1";
    run(connection, delete, [number(before)])
}

/// Returns a single value, or `None` if it was never stored.
pub(crate) fn state<T: rusqlite::types::FromSql>(
    connection: &Connection,
    name: &str,
) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached("SELECT value FROM state WHERE name = ?1")?;
    statement.query_row([name], |row| row.get(0)).optional()
}

pub(crate) fn set_state(
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
pub(crate) fn seq_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<u64> {
    let seq: i64 = row.get(0)?;
    Ok(u64::try_from(seq).unwrap_or(0))
}
