//! The files of a served database, which this process alone changes.
//!
//! SQLite does not notice that another program changed them: it goes on, and mixes the pages of two states.
//! Invariants: what the writer commits is acknowledged only if the files are still its own, and after a check that
//! fails nothing is written. One thread at a time copies the log into the database, which nothing else changes. Backups
//! and other readers, and a new owner, mode or hard link of a file, are no change.
//! Cost: a check is four looks at files and five small reads. The files stay open, since closing one would end the
//! locks that SQLite has on it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::marks::{self, Marks};
use super::{Directory, wal};
use crate::store::sqlite::failure::Failure;

/// The files of a served database.
pub(crate) struct Files {
    _directory: Directory,
    database: OpenFile,
    log: OpenFile,
    index: OpenFile,
    /// Where in the database the marks are.
    marks: u64,
    /// Held while the log is copied into the database.
    copying: Mutex<()>,
    /// The database after the latest copy.
    copied: Mutex<Stamp>,
    /// The end of the log at the latest check.
    checked: Mutex<End>,
}

/// A file, with its device and its number there.
struct OpenFile {
    path: PathBuf,
    file: File,
    identity: (u64, u64),
}

/// What a change of the database changes.
#[derive(PartialEq)]
struct Stamp {
    bytes: u64,
    modified: (i64, i64),
    header: [u8; 100],
    marks: Marks,
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
    /// Opens the files of the database that this connection has open.
    ///
    /// # Errors
    /// Fails if one is missing or cannot be read.
    pub(crate) fn open(directory: Directory, connection: &Connection) -> Result<Self, Failure> {
        let marks = marks::place(connection)?.unwrap_or_default();
        let open = |path: PathBuf, held: Option<&File>| {
            let open = || {
                let file = held.map_or_else(|| File::open(&path), File::try_clone)?;
                Ok((file, identity(&path)?))
            };
            let (file, identity) = open().map_err(|error| Failure::of_file(&path, &error))?;
            Ok::<_, Failure>(OpenFile {
                path,
                file,
                identity,
            })
        };
        let database = open(directory.database(), Some(directory.hold_database()?))?;
        let log = open(directory.log(), None)?;
        let index = open(directory.path.join("tidebin.db-shm"), None)?;
        Ok(Self {
            copying: Mutex::new(()),
            copied: Mutex::new(Stamp::of(&database.file, marks)),
            checked: Mutex::new(End::of(&index.file)),
            _directory: directory,
            database,
            log,
            index,
            marks,
        })
    }

    /// Checks all files.
    ///
    /// # Errors
    /// Fails if one was changed from outside.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let has_moved = |it: &&OpenFile| match identity(&it.path) {
            Ok(identity) => identity != it.identity,
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        let files = [&self.database, &self.log, &self.index];
        if let Some(moved) = files.into_iter().find(has_moved) {
            return Err(moved.changed());
        }
        let copying = self.copying.try_lock();
        // A copy that ends now waits for this lock, so it is not ahead of what is seen.
        let copied = self.copied.lock();
        let now = self.stamp();
        let is_own = now == *copied || copying.is_none() && now.may_follow(&copied);
        drop((copied, copying));
        match is_own {
            true => self.check_log(),
            false => Err(self.database.changed()),
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
        let Some(_copying) = self.copying.try_lock_for(wait) else {
            return Ok(None);
        };
        if *self.copied.lock() != self.stamp() {
            return Err(self.database.changed());
        }
        self.check_log()?;
        let done = copy();
        let (now, mut copied) = (self.stamp(), self.copied.lock());
        if !now.may_follow(&copied) {
            return Err(self.database.changed());
        }
        *copied = now;
        Ok(Some(done?))
    }

    /// Compares the log with its index, and the index with the one of the latest check.
    fn check_log(&self) -> Result<(), Failure> {
        let mut checked = self.checked.lock();
        loop {
            let end = End::of(&self.index.file);
            if end.is_before(&checked) {
                return Err(self.index.changed());
            }
            if end.is_of(&self.log.file) {
                *checked = end;
                return Ok(());
            }
            // The writer may just have restarted the log, which changes the index first.
            if end == End::of(&self.index.file) {
                return Err(self.log.changed());
            }
        }
    }

    fn stamp(&self) -> Stamp {
        Stamp::of(&self.database.file, self.marks)
    }
}

impl OpenFile {
    fn changed(&self) -> Failure {
        let name = self.path.file_name().unwrap_or_default().display();
        Failure::Changed(format!(
            "{name} was changed, moved, replaced or deleted while the server ran. Nothing is written any more. Start \
             again: the start uses the files as they are, or says what to do. Or run `tidebin restore FILE` to put a \
             backup in their place"
        ))
    }
}

impl Stamp {
    fn of(database: &File, marks: u64) -> Self {
        let metadata = database.metadata().ok();
        let modified = |it: fs::Metadata| (it.size(), (it.mtime(), it.mtime_nsec()));
        let (bytes, modified) = metadata.map(modified).unwrap_or_default();
        Self {
            bytes,
            modified,
            header: read_at(database, 0),
            marks: Marks::at(database, marks).unwrap_or_default(),
        }
    }

    /// Returns true if a copy may have made this of another one: the kind of the file, which a backup does not share,
    /// is the same, and its latest commit is not an earlier one.
    fn may_follow(&self, other: &Self) -> bool {
        self.header[..24] == other.header[..24] && self.marks.latest >= other.marks.latest
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
        match salt.wrapping_sub(of_other).cast_signed() {
            0 => self.frames < other.frames,
            restarts => restarts < 0,
        }
    }
}

/// Returns bytes of a file. If it does not have them, they are zero.
fn read_at<const N: usize>(file: &File, offset: u64) -> [u8; N] {
    let mut bytes = [0; N];
    match file.read_exact_at(&mut bytes, offset) {
        Ok(()) => bytes,
        Err(_) => [0; N],
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let file = fs::metadata(path)?;
    Ok((file.dev(), file.ino()))
}
