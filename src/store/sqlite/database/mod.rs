//! The database file: its directory, its lock, its connections and their settings.
//!
//! Invariants: one process at a time serves a directory. A commit that returned is synced (`synchronous=FULL`). Deleted
//! bytes are overwritten (`secure_delete`). The file never exceeds its limit. Only the owner of the directory can read
//! the files made in it, whatever the umask is. Why SQLite 3.51.3 or later: older ones can lose commits when a second
//! connection copies the log into the database.

pub(crate) mod files;
pub(crate) mod marks;
pub(crate) mod schema;
pub(crate) mod tables;
pub(crate) mod wal;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::limits::{Limits, PAGE};

/// The name of the database in the data directory.
pub(crate) const FILE: &str = "tidebin.db";

/// The name of its write-ahead log (WAL).
const WAL: &str = "tidebin.db-wal";

/// The name of the index of the log.
const INDEX: &str = "tidebin.db-shm";

/// How long a connection waits for another one. The connections hold locks for a commit at most.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// Whether long work on a database should end.
pub type Stop = Arc<AtomicBool>;

/// How many steps a statement takes between two looks at [`Stop`].
const STEPS: i32 = 10;

/// A data directory that this process has locked.
pub(crate) struct Directory {
    pub(crate) path: PathBuf,
    lock: File,
    /// The database. It is locked too: who takes `lock` for stale deletes that. SQLite gives the log and its index the
    /// mode and the owner of this file.
    database: File,
}

impl Drop for Directory {
    /// Closing the file does not end the lock while a process that is just being started has a copy of it.
    fn drop(&mut self) {
        _ = self.lock.unlock();
        _ = self.database.unlock();
    }
}

impl Directory {
    /// Locks the directory, which must exist, and its database. If that is missing, it is made empty.
    ///
    /// # Errors
    /// Fails if the directory cannot be used, or if another process uses it.
    pub(crate) fn lock(path: &Path) -> Result<Self, Failure> {
        Ok(Self {
            path: path.to_owned(),
            lock: lock(path, "lock")?,
            database: lock(path, FILE)?,
        })
    }

    /// Returns the path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(FILE)
    }

    /// Returns the path of the write-ahead log (WAL).
    pub(crate) fn log(&self) -> PathBuf {
        self.path.join(WAL)
    }

    /// Returns the path of the ballast.
    pub(crate) fn ballast(&self) -> PathBuf {
        self.path.join("ballast")
    }

    /// Opens the writer's connection, on a full disk with the space of the ballast. A database that is there is not
    /// changed, not even by closing it, until [`Directory::accept`] and its caller accept it.
    ///
    /// # Errors
    /// Fails if the file is not a database of this program, or was made by a newer version.
    pub(crate) fn open_writer(&self, limits: &Limits) -> Result<Connection, Failure> {
        let log = self.log();
        let has_bytes = |path| fs::metadata(path).is_ok_and(|file| file.len() > 0);
        // A start that refuses a database leaves an empty log.
        if has_bytes(&log) && !has_bytes(&self.database()) {
            return Err(Failure::Refused(format!(
                "{} has changes of a database that is missing or empty. Put tidebin.db back beside it, or move the file \
                 away.",
                log.display()
            )));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let open = || {
            let connection = self.connect(flags, limits.writer_cache)?;
            Ok((self.version(&connection)?, connection))
        };
        let (version, connection) = open().or_else(|failure| match failure {
            // The index of the log needs space.
            Failure::DiskFull(_) => {
                let _ = fs::remove_file(self.ballast());
                open()
            }
            failure => Err(failure),
        })?;
        if !marks::log_belongs(&connection, &self.database, &log)? {
            return Err(Failure::Refused(format!(
                "{0} does not belong to tidebin.db: one of them was replaced, perhaps by a backup. Put back the other \
                 one, or delete {0}, and with it the changes that it alone has.",
                log.display()
            )));
        }
        schema::refuse_newer(version)?;
        Ok(connection)
    }

    /// Makes or migrates the schema, and the settings of the writer. A new database gets the secret of this
    /// fingerprint; another one must have it, or is not changed.
    ///
    /// # Errors
    /// Fails if the secret is another one, or if the database is damaged.
    pub(crate) fn accept(
        &self,
        connection: &mut Connection,
        limits: &Limits,
        secret: &[u8],
    ) -> Result<(), Failure> {
        let version = self.version(connection)?;
        let has_secret = version > 0 && has_secret(connection, secret)?;
        if version == 0 {
            // A later setting of the kind of vacuum would write to the log of a database that is refused afterwards.
            connection.pragma_update(None, "page_size", PAGE)?;
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        }
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "max_page_count", limits.pages)?;
        // The errors of an automatic copy are lost.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.pragma_update(None, "journal_size_limit", limits.log_pages * PAGE)?;
        if version < schema::VERSION {
            schema::migrate(connection, version)?;
        }
        if !has_secret {
            tables::set_state(connection, "secret", secret)?;
        }
        Ok(())
    }

    /// Opens a connection with a cache of this many bytes.
    pub(crate) fn connect(&self, flags: OpenFlags, cache: usize) -> rusqlite::Result<Connection> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.database(), flags)?;
        connection.busy_timeout(BUSY)?;
        // Every copy of the log is checked.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_prepared_statement_cache_capacity(32);
        // A negative number is one of KiB.
        connection.pragma_update(None, "cache_size", -((cache / 1024).cast_signed()))?;
        connection.pragma_update(None, "mmap_size", 0)?;
        connection.pragma_update(None, "secure_delete", true)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "trusted_schema", false)?;
        Ok(connection)
    }

    /// Returns the version of the schema, which is zero for a new file.
    fn version(&self, connection: &Connection) -> Result<i64, Failure> {
        let application = tables::number(connection, "PRAGMA application_id")?;
        let tables: i64 = tables::number(connection, "SELECT count(*) FROM sqlite_schema")?;
        match application {
            schema::APPLICATION_ID => Ok(tables::number(connection, "PRAGMA user_version")?),
            0 if tables == 0 => Ok(0),
            _ => Err(Failure::foreign(&self.database())),
        }
    }
}

/// Lets the statements of this connection fail once the work should end.
pub(crate) fn end_with(connection: &mut Connection, stop: &Stop) -> rusqlite::Result<()> {
    let stop = Arc::clone(stop);
    connection.progress_handler(STEPS, Some(move || stop.load(Ordering::Relaxed)))
}

/// Returns whether the database has this secret. It has none yet if it is new. Another one is refused.
pub(crate) fn has_secret(connection: &Connection, secret: &[u8]) -> Result<bool, Failure> {
    match tables::state::<Vec<u8>>(connection, "secret")? {
        Some(known) if known != secret => Err(Failure::Refused(
            "The secret is not that of this database. Set TIDEBIN_SECRET to the one that it was made with, or unset \
             TIDEBIN_SECRET and restore the file secret beside the database."
                .to_owned(),
        )),
        known => Ok(known.is_some()),
    }
}

/// Opens and locks a file of the directory. If it is missing, it is made empty, for the owner of the directory alone: so
/// what root makes, for example by a check, does not block the server. The file of another program is not changed.
fn lock(directory: &Path, name: &str) -> Result<File, Failure> {
    let path = directory.join(name);
    let failed = |error| Failure::of_file(&path, &error);
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    let file = match options.clone().create_new(true).open(&path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => options.open(&path),
        made => made.inspect(|_| give(directory, &path)),
    };
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::Refused(format!(
            "Another process uses the data directory {}. Stop it first, or set TIDEBIN_DATA to another directory.",
            directory.display()
        ))),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Gives a file to the owner of the directory, which only root can.
pub(crate) fn give(directory: &Path, file: &Path) {
    if let Ok(owner) = fs::metadata(directory) {
        let _ = chown(file, Some(owner.uid()), Some(owner.gid()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        let name = format!("tidebin-{:016x}", getrandom::u64().unwrap());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        path
    }

    #[test]
    fn a_lock_ends_with_its_use_although_a_starting_process_has_its_file() {
        let path = folder();
        let directory = Directory::lock(&path).unwrap();
        let of_other = directory.lock.try_clone().unwrap();
        assert!(Directory::lock(&path).is_err());
        drop(directory);
        assert!(Directory::lock(&path).is_ok());
        drop(of_other);
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn only_the_owner_of_the_directory_can_read_the_files_that_are_made_in_it() {
        // Given a directory of another user, if this test runs as root
        let path = folder();
        let _ = std::os::unix::fs::chown(&path, Some(65532), Some(65532));
        // When a database is made in it
        let directory = Directory::lock(&path).unwrap();
        let limits = Limits::new(64 << 20, 8 << 20).unwrap();
        let mut connection = directory.open_writer(&limits).unwrap();
        let accepted = directory.accept(&mut connection, &limits, &[]);
        assert!(accepted.is_ok(), "{accepted:?}");
        // Then all files belong to the owner of the directory, and no other user can read them
        let owner = fs::metadata(&path).unwrap().uid();
        let modes = fs::read_dir(&path).unwrap().map(|file| {
            let metadata = file.unwrap().metadata().unwrap();
            (metadata.uid(), metadata.mode() & 0o777)
        });
        let modes: Vec<_> = modes.collect();
        assert!(
            modes.len() >= 3 && modes.iter().all(|it| *it == (owner, 0o600)),
            "{modes:?}"
        );
        drop(connection);
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn sqlite_is_recent_enough_to_keep_commits_during_a_checkpoint() {
        assert!(rusqlite::version_number() >= 3_051_003);
    }
}
