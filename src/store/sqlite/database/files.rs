//! The files of a served database, which this process alone changes.
//!
//! SQLite does not notice that another program changed them: it goes on, and mixes the pages of two states. So each start
//! writes a random value into a page that nothing writes afterwards. Another state of the file has another one there,
//! also while the log is copied into the file, when everything else of it changes.
//! Invariants: what the writer commits is acknowledged only if the files are still its own, and after a check that
//! fails nothing is written. One thread at a time copies the log into the database, which nothing else changes. Backups
//! and other readers, and a new owner, mode or hard link of a file, are no change.
//! Cost: a check is seven looks at files and five small reads. The files stay open, since closing one would end the
//! locks that SQLite has on it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use memchr::memmem;
use parking_lot::{Mutex, RwLock, RwLockUpgradableReadGuard};
use rusqlite::Connection;

use super::wal::{self, read_at};
use super::{Directory, FILE, INDEX, WAL, marks, tables};
use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::limits::PAGE;

/// The bytes of the canary.
const CANARY: usize = 32;

/// The files of a served database.
pub(crate) struct Files {
    directory: Directory,
    /// The name of each file, where it is, and what it is there.
    places: Vec<(&'static str, PathBuf, (u64, u64))>,
    log: File,
    index: File,
    /// Where the canary is in the database. `None` if it could not be written.
    canary: Option<(u64, [u8; CANARY])>,
    /// The database after the latest copy. A copy in progress has the lock that lets others read.
    copied: RwLock<Stamp>,
    /// The end of the log at the latest check.
    checked: Mutex<End>,
}

/// What a change of the database changes.
#[derive(PartialEq)]
struct Stamp {
    bytes: u64,
    modified: (i64, i64),
    header: [u8; 100],
}

/// How much of the log was copied into the database, as the index of the log tells it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Copied {
    salts: [u8; 8],
    pages: [u8; 4],
}

/// The end of the log, as its index tells it (see the documentation of SQLite, "WAL-mode File Format", 2.1).
#[derive(Clone, Copy, PartialEq)]
struct End {
    /// The number of pages in the log.
    frames: u32,
    /// The checksum of the last one.
    checksum: [[u8; 4]; 2],
    /// What each restart of the log changes. It adds one to the first half.
    salts: [[u8; 4]; 2],
}

impl Files {
    /// Opens the files of the database that this connection has open. If the log is not empty, what it has may yet change
    /// the page of the canary.
    ///
    /// # Errors
    /// Fails if one is missing or cannot be read.
    pub(crate) fn open(
        directory: Directory,
        connection: &Connection,
        is_log_empty: bool,
    ) -> Result<Self, Failure> {
        let canary = match is_log_empty {
            true => find_canary(connection, &directory.database)?,
            false => None,
        };
        let open = |name| {
            let path = directory.path.join(name);
            File::open(&path).map_err(|error| Failure::of_file(&path, &error))
        };
        let (log, index) = (open(WAL)?, open(INDEX)?);
        let files = [(FILE, &directory.database), (WAL, &log), (INDEX, &index)];
        let place = |(name, file): (_, &File)| {
            let path = directory.path.join(name);
            let metadata = file.metadata();
            let own = metadata.map_err(|error| Failure::of_file(&path, &error))?;
            Ok((name, path, identity(&own)))
        };
        Ok(Self {
            places: files
                .into_iter()
                .map(place)
                .collect::<Result<_, Failure>>()?,
            copied: RwLock::new(Stamp::of(&directory.database)),
            checked: Mutex::new(End::of(&index)),
            directory,
            log,
            index,
            canary,
        })
    }

    /// Checks all files.
    ///
    /// # Errors
    /// Fails if one was changed from outside.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        for (name, path, own) in &self.places {
            let has_moved = match fs::metadata(path) {
                Ok(there) => identity(&there) != *own,
                Err(error) => error.kind() == ErrorKind::NotFound,
            };
            if has_moved {
                return Err(changed(name));
            }
        }
        let no_copy = self.copied.try_upgradable_read();
        // A copy that ends now waits for this lock, so it is not ahead of what is seen.
        let copied = self.copied.read();
        let is_copied = no_copy.is_none() || *copied == self.stamp();
        drop((copied, no_copy));
        match is_copied && self.has_canary() {
            true => self.check_log(),
            false => Err(changed(FILE)),
        }
    }

    /// Runs a copy of the log into the database. Returns `None` if another one is in progress, after this time.
    ///
    /// # Errors
    /// Fails if the copy does, or if a file was changed from outside.
    pub(crate) fn copy<T>(
        &self,
        wait: Duration,
        copy: impl FnOnce() -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(copied) = self.copied.try_upgradable_read_for(wait) else {
            return Ok(None);
        };
        if *copied != self.stamp() || !self.has_canary() {
            return Err(changed(FILE));
        }
        self.check_log()?;
        let done = copy();
        if !self.has_canary() {
            return Err(changed(FILE));
        }
        *RwLockUpgradableReadGuard::upgrade(copied) = self.stamp();
        Ok(Some(done?))
    }

    /// Returns why work on the database failed. SQLite reports what another program did to the files as damage or as a
    /// failed read.
    pub(crate) fn cause(&self, failure: Failure) -> Failure {
        match (&failure, self.check()) {
            (Failure::Database(error), Err(Failure::Changed(cause))) => {
                Failure::Changed(format!("{cause}. SQLite reported: {error}"))
            }
            _ => failure,
        }
    }

    /// Compares the log with its index, and the index with the one of the latest check.
    fn check_log(&self) -> Result<(), Failure> {
        let mut checked = self.checked.lock();
        loop {
            let end = End::of(&self.index);
            if end.is_before(&checked) {
                return Err(changed(INDEX));
            }
            if end.is_of(&self.log) {
                *checked = end;
                return Ok(());
            }
            // The writer may just have restarted the log, which changes the index first.
            if end == End::of(&self.index) {
                return Err(changed(WAL));
            }
        }
    }

    /// Returns how much of the log was copied into the database.
    pub(crate) fn copied(&self) -> Copied {
        let (salts, pages) = (read_at(&self.index, 32), read_at(&self.index, 96));
        Copied { salts, pages }
    }

    fn stamp(&self) -> Stamp {
        Stamp::of(&self.directory.database)
    }

    /// Returns whether the canary is that of this start.
    fn has_canary(&self) -> bool {
        let database = &self.directory.database;
        self.canary
            .is_none_or(|(at, value)| read_at(database, at) == value)
    }
}

impl Stamp {
    fn of(database: &File) -> Self {
        let metadata = database.metadata().ok();
        let modified = |it: fs::Metadata| (it.size(), (it.mtime(), it.mtime_nsec()));
        let (bytes, modified) = metadata.map(modified).unwrap_or_default();
        Self {
            bytes,
            modified,
            header: read_at(database, 0),
        }
    }
}

impl End {
    fn of(index: &File) -> Self {
        // The index has numbers in the order of bytes of this machine, and the salts as the log has them.
        let head: [u8; 24] = read_at(index, 16);
        let number = |at: usize| [head[at], head[at + 1], head[at + 2], head[at + 3]];
        Self {
            frames: u32::from_ne_bytes(number(0)),
            checksum: [8, 12].map(|at| u32::from_ne_bytes(number(at)).to_be_bytes()),
            salts: [16, 20].map(number),
        }
    }

    /// Returns true if this is the end of the log. An empty one may have any.
    fn is_of(&self, log: &File) -> bool {
        let last = wal::frame(u64::from(self.frames).saturating_sub(1));
        let end = [self.salts, self.checksum];
        self.frames == 0
            || read_at::<8>(log, 16) == *self.salts.as_flattened()
                && read_at::<16>(log, last + 8) == *end.as_flattened().as_flattened()
    }

    fn is_before(&self, other: &Self) -> bool {
        let [salt, of_other] = [self, other].map(|it| u32::from_be_bytes(it.salts[0]));
        let restarts = salt.wrapping_sub(of_other).cast_signed();
        (restarts, self.frames) < (0, other.frames)
    }
}

/// Writes another canary, in a transaction of its own.
pub(crate) fn renew_canary(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS canary (id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;
         INSERT OR REPLACE INTO canary VALUES (1, randomblob(32));",
    )?;
    marks::renew(&transaction)?;
    transaction.commit()
}

/// Returns the canary, and where in the database it is, if there is one.
fn find_canary(
    connection: &Connection,
    database: &File,
) -> rusqlite::Result<Option<(u64, [u8; CANARY])>> {
    let select = "SELECT max(rootpage) FROM sqlite_schema WHERE name = 'canary'";
    let Some(page) = tables::number::<Option<u32>>(connection, select)? else {
        return Ok(None);
    };
    let value: [u8; CANARY] = tables::number(connection, "SELECT value FROM canary")?;
    let page = wal::place_of(page);
    let at = memmem::find(&read_at::<PAGE>(database, page), &value);
    Ok(at.map(|at| (page + at as u64, value)))
}

/// Returns the device and the inode.
fn identity(metadata: &fs::Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn changed(name: &str) -> Failure {
    Failure::Changed(format!(
        "{name} was changed, moved, replaced or deleted while the server ran. Nothing is written any more. Start again: \
         the start uses the files as they are, or says what to do. Or run `tidebin restore FILE` to put a backup in \
         their place"
    ))
}
