//! The backup: a consistent copy of the database, made while a server uses it or while none does.
//!
//! Invariants: the copy has all that was acknowledged before the backup began, and nothing of a change that was not
//! committed. Its file appears whole, is on the disk, and never replaces another. Only its owner may read it. Deleted
//! bytes are not in it, since it is written row by row. The folder is locked while a backup is written there, so what a
//! killed one has left is known to be of no use, and is removed.
//! Cost: one read of the database. No lock file is taken, and saves go on; but the write-ahead log (WAL) grows
//! meanwhile, because the pages that are being read must stay.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::store::seal::Keys;
use crate::store::sqlite::database::{FILE, schema, tables};
use crate::store::sqlite::open_error::OpenError;

/// How long the backup waits for a server that is just starting or stopping.
const BUSY: Duration = Duration::from_secs(10);

/// What follows the name of a file in the name that it has until it is complete, before 16 hexadecimal digits.
const PARTIAL: &str = ".partial-";

/// The contents of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backup {
    /// The number of pastes, with those that expired and were not deleted yet.
    pub pastes: u64,
    /// The size of the file in bytes.
    pub bytes: usize,
}

/// Why there is no backup. Nothing was written then.
#[derive(Debug)]
pub enum BackupError {
    /// The database is that of another program.
    Foreign(PathBuf),
    /// The secret is not that of the database, so it would open no paste of the backup.
    WrongSecret,
    /// The database cannot be read.
    Unreadable(PathBuf, rusqlite::Error),
    /// There is a file of this name.
    Exists(PathBuf),
    /// The file cannot be written.
    Unwritable(PathBuf, io::Error),
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(path) => write!(f, "{} is not a database of tidebin.", path.display()),
            Self::Unreadable(path, error) => write!(
                f,
                "Cannot copy {}: {error}. Run this as the user of the server. `tidebin check` looks for damage.",
                path.display()
            ),
            Self::WrongSecret => OpenError::WrongSecret.fmt(f),
            Self::Exists(path) => write!(
                f,
                "{} exists already. Name a file that does not exist.",
                path.display()
            ),
            Self::Unwritable(path, error) => {
                write!(
                    f,
                    "Cannot write {}: {error}. Name a file in a folder that exists, has space, and lets you write.",
                    path.display()
                )
            }
        }
    }
}

impl Error for BackupError {}

/// Writes a copy of the database in this directory to a new file. With keys, they must be those of the database.
///
/// # Errors
/// Returns a [`BackupError`] if there is no backup then.
pub fn backup(directory: &Path, file: &Path, keys: Option<&Keys>) -> Result<Backup, BackupError> {
    refuse_existing(file)?;
    let database = directory.join(FILE);
    let source = open(&database)?;
    let known: Option<Vec<u8>> = tables::state(&source, "secret")
        .map_err(|error| BackupError::Unreadable(database.clone(), error))?;
    if let (Some(keys), Some(known)) = (keys, known)
        && known != keys.fingerprint()
    {
        return Err(BackupError::WrongSecret);
    }
    let _locked = lock_folder(file);
    let partial = partial_name(file)?;
    let written = write(&source, &database, &partial, file);
    if written.is_err() {
        remove_partial(&partial);
    }
    written
}

/// Removes what killed backups have left in the folder of this file, unless another one is being written there. Returns
/// the lock of the folder, which others share. Where folders cannot be locked, nothing is removed.
fn lock_folder(file: &Path) -> Option<File> {
    let path = folder_of(file);
    let folder = File::open(path).ok()?;
    if folder.try_lock().is_ok() {
        let left = fs::read_dir(path).into_iter().flatten().flatten();
        let left = left.filter(|entry| is_partial(&entry.file_name()));
        left.for_each(|entry| _ = fs::remove_file(entry.path()));
    }
    folder.lock_shared().ok()?;
    Some(folder)
}

/// Returns true if this is the name of [`partial_name`], or of its journal.
fn is_partial(name: &OsStr) -> bool {
    let name = name.to_str().unwrap_or_default();
    let name = name.strip_suffix("-journal").unwrap_or(name);
    let random = name.rsplit_once(PARTIAL).map(|(_, random)| random);
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(is_hex))
}

/// Removes the files that a failed backup left. SQLite leaves its journal too if it could not write. Either may be
/// missing.
fn remove_partial(partial: &Path) {
    let mut journal = partial.as_os_str().to_owned();
    journal.push("-journal");
    for file in [partial, Path::new(&journal)] {
        let _ = fs::remove_file(file);
    }
}

/// Opens the database for reading. A database without a server is not changed either.
fn open(database: &Path) -> Result<Connection, BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = || -> rusqlite::Result<_> {
        let connection = Connection::open_with_flags(database, flags)?;
        connection.busy_timeout(BUSY)?;
        let application: i64 =
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        Ok((connection, application))
    };
    match opened() {
        Ok((connection, schema::APPLICATION_ID)) => Ok(connection),
        Ok(_) => Err(BackupError::Foreign(database.to_owned())),
        Err(error) => Err(match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => BackupError::Foreign(database.to_owned()),
            _ => BackupError::Unreadable(database.to_owned(), error),
        }),
    }
}

/// Writes the copy under its temporary name, and gives it its own name once it is on the disk.
fn write(
    source: &Connection,
    database: &Path,
    partial: &Path,
    file: &Path,
) -> Result<Backup, BackupError> {
    // The operator knows the file by its own name only.
    let unwritable = |error| BackupError::Unwritable(file.to_owned(), error);
    let name = partial
        .to_str()
        .ok_or_else(|| unwritable(io::Error::new(ErrorKind::InvalidInput, "not UTF-8")))?;
    // SQLite writes into an empty file, and keeps its mode.
    let mut options = OpenOptions::new();
    let copy = options.write(true).create_new(true).mode(0o600);
    let copy = copy.open(partial).map_err(unwritable)?;
    let copied = source.execute("VACUUM INTO ?1", [name]);
    copied.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => unwritable(ErrorKind::StorageFull.into()),
        _ => BackupError::Unreadable(database.to_owned(), error),
    })?;
    copy.sync_all().map_err(unwritable)?;
    let pastes = count(partial);
    let pastes = pastes.map_err(|error| BackupError::Unreadable(partial.to_owned(), error))?;
    let bytes = copy.metadata().map_err(unwritable)?.len();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    refuse_existing(file)?;
    fs::rename(partial, file).map_err(unwritable)?;
    sync_parent(file).map_err(unwritable)?;
    Ok(Backup { pastes, bytes })
}

/// Returns the number of pastes in a copy.
fn count(copy: &Path) -> rusqlite::Result<u64> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let count: i64 = connection.query_row("SELECT count(*) FROM meta", [], |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn refuse_existing(file: &Path) -> Result<(), BackupError> {
    // A link to a file that is missing exists too.
    match fs::symlink_metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(BackupError::Unwritable(file.to_owned(), error)),
        Ok(_) => Err(BackupError::Exists(file.to_owned())),
    }
}

/// Returns a temporary name in the folder of the file. Two backups at once do not share it.
fn partial_name(file: &Path) -> Result<PathBuf, BackupError> {
    let unwritable = |error| BackupError::Unwritable(file.to_owned(), error);
    let random = getrandom::u64().map_err(|error| unwritable(io::Error::other(error)))?;
    let mut name = match file.file_name() {
        Some(name) => OsString::from(name),
        None => return Err(unwritable(ErrorKind::IsADirectory.into())),
    };
    name.push(format!("{PARTIAL}{random:016x}"));
    Ok(file.with_file_name(name))
}

/// Waits until the name of the file is on the disk.
fn sync_parent(file: &Path) -> io::Result<()> {
    File::open(folder_of(file))?.sync_all()
}

fn folder_of(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}
