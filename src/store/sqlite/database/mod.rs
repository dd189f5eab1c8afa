//! The database file: its directory, its lock, its connections and their settings.
//!
//! Invariants: one process at a time serves a directory. A commit that returned is synced (`synchronous=FULL`). Deleted
//! bytes are overwritten (`secure_delete`). The file never exceeds its limit. Only the owner of the directory can read
//! the files made in it, whatever the umask is. Why SQLite 3.51.3 or later: older ones can lose commits when a second
//! connection copies the log into the database.

mod file_identity;
pub(crate) mod moderation;
pub(crate) mod schema;
pub(crate) mod tables;
pub(crate) mod wal;

pub(crate) use file_identity::FileIdentity;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::store::sqlite::limits::{Limits, PAGE};
use crate::store::sqlite::open_error::OpenError;

/// The name of the database in the data directory.
pub(crate) const FILE: &str = "tidebin.db";

/// The name of its write-ahead log (WAL).
const WAL: &str = "tidebin.db-wal";

/// How long a connection waits for another one. The connections hold locks for a commit at most.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// A data directory that this process has locked.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// The lock lasts until this file is closed.
    _lock: File,
}

impl Directory {
    /// Locks the directory, which must exist.
    ///
    /// # Errors
    /// Fails if the directory cannot be used, or if another process uses it.
    pub(crate) fn lock(path: &Path) -> Result<Self, OpenError> {
        let file = path.join("lock");
        let failed = |error| OpenError::Io(file.clone(), error);
        let lock = open_or_make(path, &file).map_err(failed)?;
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
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(FILE)
    }

    /// Returns the paths of the files that belong to the database while it is open.
    pub(crate) fn files(&self) -> [PathBuf; 3] {
        [FILE, WAL, "tidebin.db-shm"].map(|name| self.path.join(name))
    }

    /// Returns the path of the ballast.
    pub(crate) fn ballast(&self) -> PathBuf {
        self.path.join("ballast")
    }

    /// Opens the writer's connection. A database that is there is not changed, not even by closing it, until
    /// [`Directory::accept`] and its caller accept it.
    ///
    /// # Errors
    /// Fails if the file is not a database of this program, or was made by a newer version.
    pub(crate) fn open_writer(&self, limits: &Limits) -> Result<Connection, OpenError> {
        let path = self.database();
        let log = self.path.join(WAL);
        let has_bytes = |path| fs::metadata(path).is_ok_and(|file| file.len() > 0);
        // A start that refuses a database leaves an empty log.
        if has_bytes(&log) {
            match has_bytes(&path) {
                false => return Err(OpenError::NoDatabase(log)),
                true if is_backup(&path) => return Err(OpenError::OldLog(log)),
                true => {}
            }
        }
        // SQLite gives the log and its index the mode and the owner of this file.
        let made = open_or_make(&self.path, &path);
        drop(made.map_err(|error| OpenError::Io(path.clone(), error))?);
        let failed = |error| OpenError::Database(path.clone(), error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let connection = connect(&path, flags, limits.writer_cache);
        let connection = connection.map_err(|error| self.refusal(error))?;
        let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        connection.set_db_config(keep_log, true).map_err(failed)?;
        match self.version(&connection)? {
            ..=schema::VERSION => Ok(connection),
            newer => Err(OpenError::Newer(newer)),
        }
    }

    /// Makes or migrates the schema, and the settings of the writer. A new database gets the secret of this fingerprint;
    /// another one must have it, or is not changed.
    ///
    /// # Errors
    /// Fails if the secret is another one, or if the database is damaged.
    pub(crate) fn accept(
        &self,
        connection: &mut Connection,
        limits: &Limits,
        secret: &[u8],
    ) -> Result<(), OpenError> {
        let failed = |error| OpenError::Database(self.database(), error);
        let version = self.version(connection)?;
        let known: Option<Vec<u8>> = match version {
            0 => None,
            _ => tables::state(connection, "secret").map_err(failed)?,
        };
        if known.as_ref().is_some_and(|known| known != secret) {
            return Err(OpenError::WrongSecret);
        }
        if version == 0 {
            set_up_file(connection).map_err(failed)?;
        }
        set_up(connection, limits).map_err(failed)?;
        if version < schema::VERSION {
            schema::migrate(connection, version).map_err(failed)?;
        }
        if known.is_none() {
            tables::set_state(connection, "secret", secret).map_err(failed)?;
        }
        Ok(())
    }

    /// Opens a connection that only reads.
    ///
    /// # Errors
    /// Fails if the database does.
    pub(crate) fn open_reader(&self, limits: &Limits) -> Result<Connection, OpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let path = self.database();
        let connection = connect(&path, flags, limits.reader_cache);
        connection.map_err(|error| OpenError::Database(path, error))
    }

    /// Opens the connection that copies the log into the database.
    ///
    /// # Errors
    /// Fails if the database does.
    pub(crate) fn open_checkpointer(&self) -> Result<Connection, OpenError> {
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

/// Returns true if this database never had a log of changes, as a backup. Its header says so (bytes 18 and 19; see the
/// file format of SQLite, 1.3.3). A file that cannot be read has other errors.
fn is_backup(path: &Path) -> bool {
    let mut header = [0; 20];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[18..] == [1, 1]
}

/// Opens a file of the directory. If it is missing, it is made empty, for the owner of the directory alone: so what
/// root makes, for example by a check, does not block the server. The file of another program is not changed.
fn open_or_make(directory: &Path, path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => options.open(path),
        made => {
            let (file, owner) = (made?, fs::metadata(directory)?);
            // Only root can give a file away.
            let _ = fchown(&file, Some(owner.uid()), Some(owner.gid()));
            Ok(file)
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

/// Makes the settings of a new file, before its first table is made. A later setting of the kind of vacuum would write
/// to the log of a database that is refused afterwards.
fn set_up_file(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "page_size", number(PAGE))?;
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")
}

/// Makes the settings of the writer alone.
fn set_up(connection: &Connection, limits: &Limits) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "max_page_count", number(limits.pages))?;
    // The errors of an automatic copy are lost.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    let log = number(limits.log_pages * PAGE);
    connection.pragma_update(None, "journal_size_limit", log)
}

/// SQLite's numbers are signed.
fn number(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_of_the_directory_can_read_the_files_that_are_made_in_it() {
        // Given a directory of another user, if this test runs as root
        let name = format!("tidebin-owner-{:016x}", getrandom::u64().unwrap());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
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
