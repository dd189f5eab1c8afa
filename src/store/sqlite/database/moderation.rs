//! The table of blocked contents and of reports. Each row is sealed, see [`crate::store::seal`].
//!
//! Every function runs in the transaction of its caller, if there is one.

use rusqlite::{Connection, params};

use super::tables::seq_of;

pub(crate) fn insert(connection: &Connection, seq: u64, sealed: &[u8]) -> rusqlite::Result<()> {
    let insert = "INSERT INTO moderation (seq, sealed) VALUES (?1, ?2)";
    let seq = i64::try_from(seq).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(insert)?;
    statement.execute(params![seq, sealed]).map(drop)
}

pub(crate) fn delete(connection: &Connection, seq: u64) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("DELETE FROM moderation WHERE seq = ?1")?;
    let seq = i64::try_from(seq).unwrap_or(i64::MAX);
    statement.execute([seq]).map(drop)
}

/// Returns all rows in the order of their numbers.
pub(crate) fn rows(connection: &Connection) -> rusqlite::Result<Vec<(u64, Vec<u8>)>> {
    let select = "SELECT seq, sealed FROM moderation ORDER BY seq";
    let mut statement = connection.prepare(select)?;
    let rows = statement.query_map([], |row| Ok((seq_of(row)?, row.get(1)?)))?;
    rows.collect()
}
