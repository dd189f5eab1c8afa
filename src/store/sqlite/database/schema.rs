//! The schema of the database, and the migrations from older versions.
//!
//! Rows are appended: `seq` only grows, and random keys are never the order of a table. So a save writes the last pages
//! of two tables, however many pastes there are.
//! Every value that is not a number of the program's own is sealed; see [`crate::store::seal`]. Without the
//! secret, the tables show sizes, days, and which pastes have the same owner.
//!
//! Two things are not of a version, because older programs ignore them: the [marks] of commits in the table of single
//! values, and the table of the [canary](super::files), which each start makes if it is missing.

use rusqlite::Connection;

use super::marks;
use crate::store::sqlite::failure::Failure;

/// Marks the file as a database of this program: "tide".
pub(crate) const APPLICATION_ID: i64 = 0x7469_6465;

/// The present version of the schema.
pub(crate) const VERSION: i64 = 5;

/// The statements that make version `n + 1` from version `n`. A released one is never edited.
const MIGRATIONS: [&str; 5] = [
    // meta: the day of the last reading of each paste, the size of its content, its record and its counts of reads.
    // body: the content. tombstone: why the latest pastes were removed. state: single values.
    "CREATE TABLE meta (seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, size INTEGER NOT NULL, record BLOB NOT NULL,
                        counts BLOB) STRICT;
     CREATE TABLE body (seq INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
     CREATE TABLE tombstone (seq INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
     CREATE TABLE state (name TEXT PRIMARY KEY, value ANY) STRICT;",
    // Of a paste with an owner: the owner, the place in the owner's list, the id, and the summary for the list.
    "ALTER TABLE meta ADD COLUMN owner BLOB;
     ALTER TABLE meta ADD COLUMN place INTEGER;
     ALTER TABLE meta ADD COLUMN owned_id BLOB;
     ALTER TABLE meta ADD COLUMN summary BLOB;
     CREATE INDEX owned ON meta (owner, place) WHERE owner IS NOT NULL;",
    // moderation: blocked contents and reports.
    "CREATE TABLE moderation (seq INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;",
    // The slug of a paste that has one. moderation: reserved ids too.
    "ALTER TABLE meta ADD COLUMN slug BLOB;",
    // The same tables. A summary may end with an outline, and a tombstone with a receipt.
    "",
];

/// Refuses a schema of a newer version than this one.
///
/// # Errors
/// Fails if the version is newer.
pub(crate) fn refuse_newer(version: i64) -> Result<(), Failure> {
    match version {
        ..=VERSION => Ok(()),
        newer => Err(Failure::Refused(format!(
            "A newer version of tidebin made the database (schema {newer}). Start that version, or a later one."
        ))),
    }
}

/// Brings the schema of a database from this version to the present one, in one transaction.
///
/// # Errors
/// Fails if the database does.
pub(crate) fn migrate(connection: &mut Connection, from: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let done = usize::try_from(from).unwrap_or(MIGRATIONS.len());
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    marks::renew(&transaction)?;
    transaction.commit()
}
