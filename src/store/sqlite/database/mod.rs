//! The database file: its directory, its lock, its connections and their settings.
//!
//! Invariants: one process at a time serves a directory. A commit that returned is synced (`synchronous=FULL`). Deleted
//! bytes are overwritten (`secure_delete`). The file never exceeds its limit.
//! Why SQLite 3.51.3 or later: older ones can lose commits when a second connection copies the log into the database.

pub(in crate::store::sqlite) mod schema;
pub(in crate::store::sqlite) mod tables;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::store::sqlite::limits::{Limits, PAGE};
use crate::store::sqlite::open_error::OpenError;

/// The name of the database in the data directory.
pub(in crate::store::sqlite) const FILE: &str = "tidebin.db";

/// How long a connection waits for another one. The connections hold locks for a commit at most.
pub(in crate::store::sqlite) const BUSY: Duration = Duration::from_secs(10);

/// A data directory that this process has locked.
#[derive(Debug)]
pub(in crate::store::sqlite) struct Directory {
    path: PathBuf,
    /// The lock lasts until this file is closed.
    _lock: File,
}

impl Directory {
    /// Locks the directory, which must exist.
    ///
    /// # Errors
    /// Fails if the directory cannot be used, or if another process uses it.
    pub(in crate::store::sqlite) fn lock(path: &Path) -> Result<Self, OpenError> {
        let file = path.join("lock");
        let failed = |error| OpenError::Io(file.clone(), error);
        // The file of another program that has this name is not changed.
        let mut options = OpenOptions::new();
        let lock = options.create(true).write(true).truncate(false).open(&file);
        let lock = lock.map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// Returns the path of the database.
    pub(in crate::store::sqlite) fn database(&self) -> PathBuf {
        self.path.join(FILE)
    }

    /// Returns the path of the ballast.
    pub(in crate::store::sqlite) fn ballast(&self) -> PathBuf {
        self.path.join("ballast")
    }

    /// Opens the writer's connection, and makes or migrates the schema.
    ///
    /// # Errors
    /// Fails if the file is not a database of this program, was made by a newer version, or is damaged.
    pub(in crate::store::sqlite) fn open_writer(
        &self,
        limits: &Limits,
    ) -> Result<Connection, OpenError> {
        let path = self.database();
        if !path.exists() && fs::exists(self.path.join("tidebin.db-wal")).unwrap_or(false) {
            return Err(OpenError::NoDatabase(self.path.join("tidebin.db-wal")));
        }
        let failed = |error| OpenError::Database(path.clone(), error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(&path, flags, limits.writer_cache);
        let mut connection = connection.map_err(|error| self.refusal(error))?;
        // Until the database is accepted, nothing is changed, not even by closing it.
        let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        connection.set_db_config(keep_log, true).map_err(failed)?;
        let version = self.version(&connection)?;
        if version > schema::VERSION {
            return Err(OpenError::Newer(version));
        }
        set_up(&connection, limits).map_err(failed)?;
        if version < schema::VERSION {
            schema::migrate(&mut connection, version).map_err(failed)?;
        }
        Ok(connection)
    }

    /// Opens a connection that only reads.
    ///
    /// # Errors
    /// Fails if the database does.
    pub(in crate::store::sqlite) fn open_reader(
        &self,
        limits: &Limits,
    ) -> Result<Connection, OpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let path = self.database();
        let connection = connect(&path, flags, limits.reader_cache);
        connection.map_err(|error| OpenError::Database(path, error))
    }

    /// Opens the connection that copies the log into the database.
    ///
    /// # Errors
    /// Fails if the database does.
    pub(in crate::store::sqlite) fn open_checkpointer(&self) -> Result<Connection, OpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let path = self.database();
        let connection = connect(&path, flags, 16 * PAGE);
        connection.map_err(|error| OpenError::Database(path, error))
    }

    /// Returns why the database cannot be opened.
    fn refusal(&self, error: rusqlite::Error) -> OpenError {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => OpenError::Foreign(self.database()),
            _ => OpenError::Database(self.database(), error),
        }
    }

    /// Returns the version of the schema, which is zero for a new file.
    fn version(&self, connection: &Connection) -> Result<i64, OpenError> {
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let failed = |error| self.refusal(error);
        let application = number("application_id").map_err(failed)?;
        let tables = "SELECT count(*) FROM sqlite_schema";
        let tables: i64 = connection
            .query_row(tables, [], |row| row.get(0))
            .map_err(failed)?;
        match application {
            schema::APPLICATION_ID => number("user_version").map_err(failed),
            0 if tables == 0 => Ok(0),
            _ => Err(OpenError::Foreign(self.database())),
        }
    }
}

fn connect(path: &Path, flags: OpenFlags, cache: usize) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(32);
    let kib = i64::try_from(cache / 1024).unwrap_or(i64::MAX);
    connection.pragma_update(None, "cache_size", -kib)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Sets what belongs to the file or to the writer alone. The kind of vacuum must be set before the first table is made.
fn set_up(connection: &Connection, limits: &Limits) -> rusqlite::Result<()> {
    let number = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    connection.pragma_update(None, "page_size", number(PAGE))?;
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "max_page_count", number(limits.pages))?;
    connection.pragma_update(None, "wal_autocheckpoint", number(limits.log_pages))?;
    let log = number(limits.log_pages * PAGE);
    connection.pragma_update(None, "journal_size_limit", log)
}

#[cfg(test)]
mod tests {
    #[test]
    fn sqlite_is_recent_enough_to_keep_commits_during_a_checkpoint() {
        assert!(rusqlite::version_number() >= 3_051_003);
    }
}
