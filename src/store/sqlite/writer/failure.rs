//! Why a transaction failed.

use rusqlite::ErrorCode;

/// Why a transaction failed. It changed nothing.
#[derive(Debug)]
pub(in crate::store::sqlite) enum Failure {
    /// The disk is full, or the database has reached its limit.
    DiskFull,
    /// The database failed. Whether later commits are kept is unknown, so the program must stop.
    Database(rusqlite::Error),
    /// The operating system returned no random bytes.
    NoRandomBytes(getrandom::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            _ => Self::Database(error),
        }
    }
}

impl From<getrandom::Error> for Failure {
    fn from(error: getrandom::Error) -> Self {
        Self::NoRandomBytes(error)
    }
}
