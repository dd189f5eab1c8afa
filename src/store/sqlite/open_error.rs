//! Why a durable store could not be opened. Each reason names the way out.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::byte_size::ByteSize;

/// Why the data directory was refused. The server does not start.
#[derive(Debug)]
pub enum OpenError {
    /// The catalog of the pastes would take more than half of the memory.
    CatalogTooLarge {
        /// The bytes that the catalog would take.
        catalog: ByteSize,
        /// The budget of memory.
        memory: ByteSize,
        /// The budget of disk.
        disk: ByteSize,
        /// The least budget of memory that is enough, if there is one.
        least: Option<ByteSize>,
    },
    /// One paste of the largest size does not fit.
    PasteTooLarge {
        /// The budget that is too small.
        setting: &'static str,
        /// Its bytes.
        budget: ByteSize,
        /// The largest size of a paste.
        paste: ByteSize,
        /// The least budget that is enough.
        least: ByteSize,
    },
    /// The directory or a file in it cannot be used.
    Io(PathBuf, io::Error),
    /// Another process uses the directory.
    InUse(PathBuf),
    /// Another process reads the database, so that the WAL of the last run cannot be emptied.
    WalInUse(PathBuf),
    /// There is a WAL without its database.
    NoDatabase(PathBuf),
    /// There is a log of changes beside a backup. It belongs to another database.
    OldLog(PathBuf),
    /// The file is not a database of this program.
    Foreign(PathBuf),
    /// A newer version of the program made the database. The value is the version of its schema.
    Newer(i64),
    /// The secret is not that of the database.
    WrongSecret,
    /// The stored pastes cost more than the budget.
    TooSmall {
        /// The bytes that the pastes cost.
        stored: ByteSize,
        /// The bytes that pastes may cost within the budget.
        room: ByteSize,
        /// The budget of disk.
        disk: ByteSize,
        /// The least budget of disk that is enough.
        least: ByteSize,
    },
    /// The accounts of the clients whose pastes are stored take too much memory.
    TooManyClients {
        /// The bytes that the accounts take.
        clients: ByteSize,
        /// The bytes that they may take.
        room: ByteSize,
        /// The budget of memory.
        memory: ByteSize,
        /// The least budget of memory that is enough.
        least: ByteSize,
    },
    /// The database is damaged, or it failed.
    Database(PathBuf, rusqlite::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CatalogTooLarge {
                catalog,
                memory,
                disk,
                least,
            } => {
                write!(
                    f,
                    "The index of a TIDEBIN_MAX_DISK of {disk} takes {catalog} of memory, more than half of \
                     TIDEBIN_MAX_STORE_SIZE ({memory}). "
                )?;
                match least {
                    Some(least) => write!(
                        f,
                        "Set TIDEBIN_MAX_STORE_SIZE to {least}, or lower TIDEBIN_MAX_DISK."
                    ),
                    None => f.write_str("Lower TIDEBIN_MAX_DISK."),
                }
            }
            Self::PasteTooLarge {
                setting,
                budget,
                paste,
                least,
            } => write!(
                f,
                "{setting} ({budget}) is too small for one paste of TIDEBIN_MAX_PASTE_SIZE ({paste}) with TIDEBIN_DATA. \
                 Set it to {least}, or lower TIDEBIN_MAX_PASTE_SIZE."
            ),
            Self::Io(path, error) => {
                write!(f, "Cannot use {}: {error}. ", path.display())?;
                fmt_way_out(path, error.kind(), f)
            }
            Self::InUse(path) => write!(
                f,
                "Another process uses the data directory {}. Stop it first, or set TIDEBIN_DATA to another directory.",
                path.display()
            ),
            Self::WalInUse(path) => write!(
                f,
                "Another process reads {}, perhaps a backup. Start again when it is done.",
                path.display()
            ),
            Self::NoDatabase(path) => write!(
                f,
                "{} has changes of a database that is missing or empty. Put tidebin.db back beside it, or move the file \
                 away.",
                path.display()
            ),
            Self::OldLog(path) => write!(
                f,
                "tidebin.db is a backup, but {} is of the database that was there before. Move it away, and \
                 tidebin.db-shm too.",
                path.display()
            ),
            Self::Foreign(path) => write!(
                f,
                "{} is not a database of tidebin. Set TIDEBIN_DATA to another directory, or move the file away.",
                path.display()
            ),
            Self::Newer(version) => write!(
                f,
                "A newer version of tidebin made the database (schema {version}). Start that version, or a later one."
            ),
            Self::WrongSecret => f.write_str(
                "The secret is not that of this database. Set TIDEBIN_SECRET to the one that it was made with, or unset \
                 TIDEBIN_SECRET and restore the file secret beside the database.",
            ),
            Self::TooSmall {
                stored,
                room,
                disk,
                least,
            } => write!(
                f,
                "The stored pastes take {stored}, but TIDEBIN_MAX_DISK ({disk}) has room for {room}. Set it to {least} \
                 or more, or run tidebin check --shrink to remove pastes."
            ),
            Self::TooManyClients {
                clients,
                room,
                memory,
                least,
            } => write!(
                f,
                "The clients of the stored pastes take {clients} of memory, but TIDEBIN_MAX_STORE_SIZE ({memory}) has \
                 room for {room}. Set it to {least}."
            ),
            Self::Database(path, error) => write!(
                f,
                "Cannot read {}: {error}. Restore a backup of it, or move it away to start without its pastes.",
                path.display()
            ),
        }
    }
}

/// Writes what to do about a file that cannot be used.
fn fmt_way_out(file: &Path, error: ErrorKind, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match (error, file.parent()) {
        (ErrorKind::PermissionDenied, Some(directory)) => write!(
            f,
            "Run tidebin as the owner of the data directory. If the file has another owner, run \
             `chown --reference={} {}` first.",
            directory.display(),
            file.display()
        ),
        _ => f.write_str("The data directory must be on a local disk that can be written."),
    }
}

impl std::error::Error for OpenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_is_too_small_is_refused_with_the_value_to_set() {
        let mib = |mib: usize| ByteSize(mib << 20);
        let catalog = |least| OpenError::CatalogTooLarge {
            catalog: mib(154),
            memory: mib(128),
            disk: mib(16384),
            least,
        };
        let stored = OpenError::TooSmall {
            stored: mib(897),
            room: mib(896),
            disk: mib(1024),
            least: mib(1029),
        };
        let clients = OpenError::TooManyClients {
            clients: mib(2),
            room: mib(1),
            memory: mib(8),
            least: mib(12),
        };
        for (error, figures, way_out) in [
            (
                catalog(Some(mib(309))),
                "of 16 GiB takes 154 MiB",
                "Set TIDEBIN_MAX_STORE_SIZE to 309 MiB, or lower TIDEBIN_MAX_DISK.",
            ),
            (
                catalog(None),
                "(128 MiB). ",
                "(128 MiB). Lower TIDEBIN_MAX_DISK.",
            ),
            (
                stored,
                "take 897 MiB, but TIDEBIN_MAX_DISK (1 GiB) has room for 896 MiB.",
                "Set it to 1029 MiB or more, or run tidebin check --shrink to remove pastes.",
            ),
            (
                clients,
                "take 2 MiB of memory",
                "has room for 1 MiB. Set it to 12 MiB.",
            ),
        ] {
            let message = error.to_string();
            assert!(message.contains(figures), "{message}");
            assert!(message.ends_with(way_out), "{message}");
        }
    }

    #[test]
    fn a_file_of_another_user_is_refused_with_the_command_that_gives_it_back() {
        let refused = |kind: ErrorKind| OpenError::Io("/data/lock".into(), kind.into()).to_string();
        let message = refused(ErrorKind::PermissionDenied);
        assert!(
            message.contains("`chown --reference=/data /data/lock`"),
            "{message}"
        );
        assert!(!refused(ErrorKind::ReadOnlyFilesystem).contains("chown"));
    }
}
