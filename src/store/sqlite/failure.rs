//! Why work on the database failed: the start, a transaction, a check or a backup.
//!
//! Invariants: a failed transaction changed nothing. A refusal is a whole sentence that names the way out.

use std::io::{self, ErrorKind};
use std::path::Path;

use rusqlite::{ErrorCode, ffi};
use thiserror::Error;

use crate::store::StoreError;
use crate::store::seal::RowKey;

/// The way out of a full disk.
pub(crate) const FREE_SPACE: &str = "Free some space and try again.";

const LOCAL_DISK: &str = "The data directory must be on a local disk that can be written.";

/// Why work on the database failed, as an operator reads it who started a server, a check or a backup.
#[derive(Debug, Error)]
pub enum Failure {
    /// A budget, a file or the database is refused, for the reason that this sentence tells.
    #[error("{0}")]
    Refused(String),
    /// The operator has ended the work.
    #[error("It was stopped.")]
    Stopped,
    /// The operation of a client is declined. Nothing failed.
    #[error("{0:?}")]
    Declined(StoreError),
    /// The disk is full, or the database has reached its limit.
    #[error(
        "The disk is full, so not all pastes were removed that had to be. Free some space and run this again."
    )]
    DiskFull(rusqlite::Error),
    /// The rows of this paste cannot be changed, because a page of the file is damaged. If it is of no paste, or of
    /// several, nothing can be changed.
    #[error(
        "A page of the database is damaged, so not all pastes were removed that had to be. Restore a backup."
    )]
    Damaged(Option<RowKey>, rusqlite::Error),
    /// Another process holds the database.
    #[error("The database failed: {0}.")]
    Busy(rusqlite::Error),
    /// The database failed. Whether later commits are kept is unknown, so the program must stop.
    #[error("The database failed: {0}.")]
    Database(rusqlite::Error),
    /// A file of the served database was changed from outside.
    #[error("{0}")]
    Changed(String),
    /// The operating system returned no random bytes.
    #[error("The operating system returned no random bytes: {0}.")]
    NoRandomBytes(#[from] getrandom::Error),
}

impl Failure {
    /// The file at this path was made by another program.
    pub(crate) fn foreign(path: &Path) -> Self {
        Self::Refused(format!(
            "{} is not a database of tidebin. Name another one, or move this file away.",
            path.display()
        ))
    }

    /// A check has found a damaged page.
    pub(crate) fn damaged() -> Self {
        let message = Some("database disk image is malformed".to_owned());
        let code = ffi::Error::new(ffi::SQLITE_CORRUPT);
        rusqlite::Error::SqliteFailure(code, message).into()
    }

    /// The data directory or a file in it cannot be used.
    pub(crate) fn of_file(path: &Path, error: &io::Error) -> Self {
        let way_out = match (error.kind(), path.parent()) {
            (ErrorKind::PermissionDenied, Some(directory)) => format!(
                "Run tidebin as the owner of the data directory. If the file has another owner, run \
                 `chown --reference={} {}` first.",
                directory.display(),
                path.display()
            ),
            (ErrorKind::StorageFull | ErrorKind::QuotaExceeded, _) => FREE_SPACE.to_owned(),
            _ => LOCAL_DISK.to_owned(),
        };
        Self::Refused(format!("Cannot use {}: {error}. {way_out}", path.display()))
    }

    /// Returns the failure for an error that occurred while the rows of this paste were changed.
    pub(crate) fn of_paste(key: RowKey, error: rusqlite::Error) -> Self {
        match error.into() {
            Self::Damaged(_, error) => Self::Damaged(Some(key), error),
            failure => failure,
        }
    }

    /// Returns the refusal of a database that failed while it was opened.
    pub(crate) fn at_start(self, database: &Path) -> Self {
        let way_out = match &self {
            // The file system cannot map a file into memory, which the index of the WAL needs.
            Self::Database(error) if extended_code(error) == Some(ffi::SQLITE_IOERR_SHMMAP) => {
                LOCAL_DISK
            }
            _ => {
                "`tidebin check` looks for damage, and `tidebin restore FILE` puts a backup in its place."
            }
        };
        self.refusal("read", database, way_out)
    }

    /// Returns the refusal of a database that failed while the program did this with it.
    pub(crate) fn refusal(self, work: &str, database: &Path, way_out: &str) -> Self {
        let path = database.display();
        if let Self::DiskFull(_) = self {
            let sentence = format!("Cannot {work} {path}: the disk is full. {FREE_SPACE}");
            return Self::Refused(sentence);
        }
        let (Self::Damaged(_, error) | Self::Busy(error) | Self::Database(error)) = self else {
            return self;
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::foreign(database),
            _ => Self::Refused(format!("Cannot {work} {path}: {error}. {way_out}")),
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            _ if is_disk_full(&error) => Self::DiskFull(error),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(None, error),
            Some(ErrorCode::DatabaseBusy) => Self::Busy(error),
            Some(ErrorCode::OperationInterrupted) => Self::Stopped,
            _ => Self::Database(error),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Declined(error)
    }
}

/// Returns true if there is no space on the disk. The shared memory of the WAL is a file too, with an error of its own.
pub(crate) fn is_disk_full(error: &rusqlite::Error) -> bool {
    let shared_memory = Some(ffi::SQLITE_IOERR_SHMSIZE);
    error.sqlite_error_code() == Some(ErrorCode::DiskFull) || extended_code(error) == shared_memory
}

fn extended_code(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

/// Returns true if a write failed. The cause may be a quota that is used up, which SQLite does not tell.
pub(crate) fn is_failed_write(error: &rusqlite::Error) -> bool {
    matches!(
        extended_code(error),
        Some(ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_without_shared_memory_is_no_reason_to_restore_a_backup() {
        let message = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let failure = Failure::from(error);
            failure.at_start(Path::new("/data/tidebin.db")).to_string()
        };
        let unmapped = message(ffi::SQLITE_IOERR_SHMMAP);
        assert!(
            unmapped.ends_with("must be on a local disk that can be written."),
            "{unmapped}"
        );
        let unreadable = message(ffi::SQLITE_IOERR_READ);
        assert!(
            unreadable.contains("puts a backup in its place"),
            "{unreadable}"
        );
    }

    #[test]
    fn a_file_of_another_user_is_refused_with_the_command_that_gives_it_back() {
        let refused = |kind: ErrorKind| {
            let error = kind.into();
            Failure::of_file(Path::new("/data/lock"), &error).to_string()
        };
        let message = refused(ErrorKind::PermissionDenied);
        assert!(
            message.contains("`chown --reference=/data /data/lock`"),
            "{message}"
        );
        assert!(!refused(ErrorKind::ReadOnlyFilesystem).contains("chown"));
    }
}
