//! Why a durable store could not be opened. Each reason names the way out.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why the data directory was refused. The server does not start.
#[derive(Debug)]
pub enum OpenError {
    /// The catalog of the pastes would take more than half of the memory.
    CatalogTooLarge {
        /// The bytes that the catalog would take.
        catalog: usize,
        /// The budget of memory.
        memory: usize,
        /// The budget of disk.
        disk: usize,
    },
    /// The directory or a file in it cannot be used.
    Io(PathBuf, io::Error),
    /// Another process uses the directory.
    InUse(PathBuf),
    /// There is a log of changes without its database.
    NoDatabase(PathBuf),
    /// The file is not a database of this program.
    Foreign(PathBuf),
    /// A newer version of the program made the database. The value is the version of its schema.
    Newer(i64),
    /// The secret is not that of the database.
    WrongSecret,
    /// The stored pastes cost more than the budget.
    TooSmall {
        /// The bytes that the pastes cost.
        stored: usize,
        /// The bytes that pastes may cost within the budget.
        room: usize,
        /// The budget of disk.
        disk: usize,
    },
    /// The accounts of the clients whose pastes are stored take too much memory.
    TooManyClients {
        /// The bytes that the accounts take.
        clients: usize,
        /// The bytes that they may take.
        room: usize,
        /// The budget of memory.
        memory: usize,
    },
    /// The database is damaged, or it failed.
    Database(PathBuf, rusqlite::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: &usize| bytes.div_ceil(1 << 20);
        match self {
            Self::CatalogTooLarge {
                catalog,
                memory,
                disk,
            } => write!(
                f,
                "The index of a TIDEBIN_MAX_DISK of {} MiB takes {} MiB of memory, more than half of \
                 TIDEBIN_MAX_STORE_SIZE ({} MiB). Raise TIDEBIN_MAX_STORE_SIZE or lower TIDEBIN_MAX_DISK.",
                mib(disk),
                mib(catalog),
                mib(memory)
            ),
            Self::Io(path, error) => write!(
                f,
                "Cannot use {}: {error}. Let the user of the server own the data directory (in a container: \
                 chown 65532), on a file system that can be written.",
                path.display()
            ),
            Self::InUse(path) => write!(
                f,
                "Another process uses the data directory {}. Stop it first, or set TIDEBIN_DATA to another directory.",
                path.display()
            ),
            Self::NoDatabase(path) => write!(
                f,
                "{} has changes of a database that is missing. Put tidebin.db back beside it, or move the file away.",
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
            Self::TooSmall { stored, room, disk } => write!(
                f,
                "The stored pastes take {} MiB, but TIDEBIN_MAX_DISK ({} MiB) has room for {} MiB. Raise it, or run \
                 tidebin check --shrink to remove pastes.",
                mib(stored),
                mib(disk),
                mib(room)
            ),
            Self::TooManyClients {
                clients,
                room,
                memory,
            } => write!(
                f,
                "The clients of the stored pastes take {} MiB of memory, but TIDEBIN_MAX_STORE_SIZE ({} MiB) has room for \
                 {} MiB. Raise it.",
                mib(clients),
                mib(memory),
                room >> 20
            ),
            Self::Database(path, error) => write!(
                f,
                "Cannot read {}: {error}. Restore a backup of it, or move it away to start without its pastes.",
                path.display()
            ),
        }
    }
}

impl std::error::Error for OpenError {}
