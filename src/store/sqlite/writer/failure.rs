//! Why a transaction failed.

use rusqlite::{ErrorCode, ffi};

use crate::store::seal::RowKey;

/// Why a transaction failed. It changed nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The disk is full, or the database has reached its limit.
    DiskFull,
    /// The rows of this paste cannot be changed, because a page of the file is damaged.
    Damaged(Damage),
    /// A page of the file is damaged that is of no paste, or of several. Nothing can be changed.
    DamagedFile(rusqlite::Error),
    /// Another process holds the database.
    Busy(rusqlite::Error),
    /// The database failed. Whether later commits are kept is unknown, so the program must stop.
    Database(rusqlite::Error),
    /// The operating system returned no random bytes.
    NoRandomBytes(getrandom::Error),
}

/// A paste whose rows cannot be changed.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) key: RowKey,
    /// The error of SQLite.
    pub(crate) error: rusqlite::Error,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            _ if is_disk_full(&error) => Self::DiskFull,
            Some(ErrorCode::DatabaseCorrupt) => Self::DamagedFile(error),
            Some(ErrorCode::DatabaseBusy) => Self::Busy(error),
            _ => Self::Database(error),
        }
    }
}

impl Failure {
    /// Returns the failure for an error that occurred while the rows of this paste were changed.
    pub(crate) fn of_paste(key: RowKey, error: rusqlite::Error) -> Self {
        match is_damage(&error) {
            true => Self::Damaged(Damage { key, error }),
            false => error.into(),
        }
    }
}

/// Returns true if there is no space on the disk. The shared memory of the WAL is a file too, with an error of its own.
pub(crate) fn is_disk_full(error: &rusqlite::Error) -> bool {
    let shared_memory = Some(ffi::SQLITE_IOERR_SHMSIZE);
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error.sqlite_error().map(|error| error.extended_code) == shared_memory
}

/// Returns true if a write failed. The cause may be a quota that is used up, which SQLite does not tell.
pub(crate) fn is_failed_write(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(
        code,
        Some(ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE)
    )
}

/// Returns true if a page of the database is damaged.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}

impl From<getrandom::Error> for Failure {
    fn from(error: getrandom::Error) -> Self {
        Self::NoRandomBytes(error)
    }
}
