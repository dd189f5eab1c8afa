//! Why a durable store could not be opened. Each reason names the way out.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crate::byte_size::ByteSize;

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
        /// The least budget of memory that is enough, if there is one.
        least: Option<usize>,
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
        /// The least budget of disk that is enough.
        least: usize,
    },
    /// The accounts of the clients whose pastes are stored take too much memory.
    TooManyClients {
        /// The bytes that the accounts take.
        clients: usize,
        /// The bytes that they may take.
        room: usize,
        /// The budget of memory.
        memory: usize,
        /// The least budget of memory that is enough.
        least: usize,
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
                    "The index of a TIDEBIN_MAX_DISK of {} takes {} of memory, more than half of \
                     TIDEBIN_MAX_STORE_SIZE ({}). ",
                    ByteSize(*disk),
                    ByteSize(*catalog).rounded_up(),
                    ByteSize(*memory),
                )?;
                match least {
                    Some(least) => write!(
                        f,
                        "Set TIDEBIN_MAX_STORE_SIZE to {}, or lower TIDEBIN_MAX_DISK.",
                        ByteSize(*least)
                    ),
                    None => f.write_str("Lower TIDEBIN_MAX_DISK."),
                }
            }
            Self::Io(path, error) => {
                write!(f, "Cannot use {}: {error}. ", path.display())?;
                match (error.kind(), path.parent()) {
                    (ErrorKind::PermissionDenied, Some(directory)) => write!(
                        f,
                        "Run tidebin as the owner of the data directory. If the file has another owner, run \
                         `chown --reference={} {}` first.",
                        directory.display(),
                        path.display()
                    ),
                    _ => f.write_str("The data directory must be on a local disk that can be written."),
                }
            }
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
            Self::TooSmall {
                stored,
                room,
                disk,
                least,
            } => write!(
                f,
                "The stored pastes take {}, but TIDEBIN_MAX_DISK ({}) has room for {}. Set it to {} or more, or run \
                 tidebin check --shrink to remove pastes.",
                ByteSize(*stored).rounded_up(),
                ByteSize(*disk),
                ByteSize(*room),
                ByteSize(*least),
            ),
            Self::TooManyClients {
                clients,
                room,
                memory,
                least,
            } => write!(
                f,
                "The clients of the stored pastes take {} of memory, but TIDEBIN_MAX_STORE_SIZE ({}) has room for {}. \
                 Set it to {}.",
                ByteSize(*clients).rounded_up(),
                ByteSize(*memory),
                ByteSize(*room),
                ByteSize(*least),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_is_too_small_is_refused_with_the_value_to_set() {
        const MIB: usize = 1 << 20;
        let catalog = |least| OpenError::CatalogTooLarge {
            catalog: 154 * MIB - 9,
            memory: 128 * MIB,
            disk: 16384 * MIB,
            least,
        };
        let stored = OpenError::TooSmall {
            stored: 897 * MIB - 5,
            room: 896 * MIB,
            disk: 1024 * MIB,
            least: 1029 * MIB,
        };
        let clients = OpenError::TooManyClients {
            clients: 2 * MIB,
            room: MIB,
            memory: 8 * MIB,
            least: 12 * MIB,
        };
        for (error, figures, way_out) in [
            (
                catalog(Some(309 * MIB)),
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
}
