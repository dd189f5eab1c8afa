//! The backup: a consistent copy of the database, made while a server uses it or while none does.
//!
//! Invariants: the copy has all that was acknowledged before the backup began, and nothing of a change that was not
//! committed. Its file appears whole, is on the disk, and never replaces another. Only its owner may read it. Deleted
//! bytes are not in it, since it is written row by row. The folder is locked while a backup is written there, so what a
//! killed one has left is known to be of no use, and is removed.
//! Cost: one read of the database. No lock file is taken, and saves go on; but the write-ahead log (WAL) grows
//! meanwhile, because the pages that are being read must stay.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::paste::Timestamp;
use crate::store::seal::Keys;
use crate::store::sqlite::check::faults;
use crate::store::sqlite::database::{
    BUSY, FILE, Stop, end_with, files, has_secret, schema, tables,
};
use crate::store::sqlite::failure::{FREE_SPACE, Failure};

/// What follows the name of a file in the name that it has until it is complete, before 16 hexadecimal digits.
const PARTIAL: &str = ".partial-";

/// A file in the data directory that says by its time when the last backup was completed.
const LAST_BACKUP: &str = "tidebin.last-backup";

/// The contents of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backup {
    /// The number of pastes, with those that expired and were not deleted yet.
    pub pastes: u64,
    /// The size of the file in bytes.
    pub bytes: usize,
}

/// Writes a copy of the database in this directory to a new file. With keys, they must be those of the database.
///
/// # Errors
/// Returns a [`Failure`] if there is no backup then.
pub fn backup(
    directory: &Path,
    file: &Path,
    keys: Option<&Keys>,
    stop: &Stop,
) -> Result<Backup, Failure> {
    refuse_existing(file)?;
    let database = directory.join(FILE);
    let put = |copy: &Path| {
        refuse_existing(file)?;
        fs::rename(copy, file).map_err(|error| unwritable(file, &error))
    };
    let made = open(&database, keys, stop).and_then(|source| copy(&source, file, put));
    let way_out = "Run this as the user of the server. `tidebin check` looks for damage.";
    let made = made.map_err(|failure| failure.refusal("copy", &database, way_out));
    made.map(|(backup, ())| backup)
}

/// Notes in the data directory that a backup was completed now. The file may be that of another user.
///
/// # Errors
/// If the directory cannot be written to.
pub fn note_backup(directory: &Path) -> io::Result<()> {
    let note = directory.join(LAST_BACKUP);
    let _ = fs::remove_file(&note);
    File::create(note).map(drop)
}

/// Returns when the last backup was completed, or 1970 if none was.
pub fn last_backup(directory: &Path) -> Timestamp {
    let note = fs::metadata(directory.join(LAST_BACKUP));
    let seconds = note.map_or(0, |it| u64::try_from(it.mtime()).unwrap_or(0));
    Timestamp::from_millis(seconds * 1000)
}

/// Copies a database into a new file beside this one, which is on the disk then, and lets `put` give it this name. Returns
/// what that does. If something fails, the new file is removed.
pub(crate) fn copy<T>(
    source: &Connection,
    file: &Path,
    put: impl FnOnce(&Path) -> Result<T, Failure>,
) -> Result<(Backup, T), Failure> {
    let _locked = lock_folder(file);
    // Two copies at once do not share it.
    let partial = with_end(file, &format!("{PARTIAL}{:016x}", getrandom::u64()?));
    let copied = fill(source, &partial, file).and_then(|backup| {
        let done = put(&partial)?;
        // The name of the file must be on the disk too.
        let folder = File::open(folder_of(file)).and_then(|folder| folder.sync_all());
        folder.map_err(|error| unwritable(file, &error))?;
        Ok((backup, done))
    });
    // SQLite leaves its journal too if it could not write. Either may be missing.
    for left in [&partial, &with_end(&partial, "-journal")] {
        let _ = fs::remove_file(left);
    }
    copied
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

/// Returns true if this is the temporary name of a copy, or of its journal.
fn is_partial(name: &OsStr) -> bool {
    let name = name.to_str().unwrap_or_default();
    let name = name.strip_suffix("-journal").unwrap_or(name);
    let random = name.rsplit_once(PARTIAL).map(|(_, random)| random);
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(is_hex))
}

/// Opens the database for reading. A database without a server is not changed either.
pub(crate) fn open(
    database: &Path,
    keys: Option<&Keys>,
    stop: &Stop,
) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(database, flags)?;
    // A server may be just starting or stopping.
    connection.busy_timeout(BUSY)?;
    end_with(&mut connection, stop)?;
    if tables::number::<i64>(&connection, "PRAGMA application_id")? != schema::APPLICATION_ID {
        return Err(Failure::foreign(database));
    }
    if let Some(keys) = keys {
        has_secret(&connection, &keys.fingerprint())?;
    }
    Ok(connection)
}

/// Copies a database into this new file, which is to have the other name, and syncs it. SQLite keeps the mode.
fn fill(source: &Connection, partial: &Path, file: &Path) -> Result<Backup, Failure> {
    // The operator knows the file by its own name only.
    let unwritable = |error| unwritable(file, &error);
    let name = partial.to_str();
    let name = name.ok_or_else(|| unwritable(io::Error::other("not UTF-8")))?;
    let mut options = OpenOptions::new();
    let copy = options.write(true).create_new(true).mode(0o600);
    let copy = copy.open(partial).map_err(unwritable)?;
    let copied = source.execute("VACUUM INTO ?1", [name]);
    copied.map_err(|error| match error.into() {
        // SQLite says the same if a damaged page names one behind the last possible page.
        Failure::DiskFull(_) => match faults(source, 1) {
            Ok(found) if found == "ok" => unwritable(ErrorKind::StorageFull.into()),
            Ok(_) => Failure::damaged(),
            Err(error) => error.into(),
        },
        failure => failure,
    })?;
    let mut counted = Connection::open_with_flags(partial, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // A server over whose database the copy is written notices it by that.
    files::renew_canary(&mut counted)?;
    copy.sync_all().map_err(unwritable)?;
    let pastes = tables::number(&counted, "SELECT count(*) FROM meta")?;
    let bytes = copy.metadata().map_err(unwritable)?.len();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    Ok(Backup { pastes, bytes })
}

fn unwritable(file: &Path, error: &io::Error) -> Failure {
    let path = file.display();
    Failure::Refused(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("Cannot write {path}: the disk is full. {FREE_SPACE}")
        }
        _ => format!(
            "Cannot write {path}: {error}. Name a file in a folder that exists, and lets you write."
        ),
    })
}

fn refuse_existing(file: &Path) -> Result<(), Failure> {
    // A link to a file that is missing exists too.
    match fs::symlink_metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(unwritable(file, &error)),
        Ok(_) => Err(Failure::Refused(format!(
            "{} exists already. Name a file that does not exist.",
            file.display()
        ))),
    }
}

fn folder_of(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}

/// Returns this path with more at the end of its name.
pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(end);
    path.into()
}
