//! The restore: a backup takes the place of the database, while no server uses the directory.
//!
//! Invariants: the former database stays beside it, with its log. The backup is read row by row, so that a damaged one
//! is refused, and is whole on the disk before it gets its name. A crash leaves one of the two, or the log of the former
//! one beside the backup, which a start refuses.
//! Cost: one read of the backup, and the space of the copy.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::backup::{self, Backup};
use super::database::{Directory, open_or_make, schema, tables};
use super::failure::Failure;
use crate::store::seal::Keys;

/// A backup that was restored.
#[derive(Debug)]
pub struct Restored {
    /// The contents of the database now.
    pub contents: Backup,
    /// The database that was there before, if there was one.
    pub former: Option<PathBuf>,
}

/// Puts a copy of this backup in the place of the database in this directory. With keys, they must be those of the
/// backup.
///
/// # Errors
/// Returns a [`Failure`] if nothing was replaced, for example because a server uses the directory.
pub fn restore(directory: &Path, file: &Path, keys: Option<&Keys>) -> Result<Restored, Failure> {
    let locked = Directory::lock(directory)?;
    locked.hold_database()?;
    let database = locked.database();
    drop(backup::lock_folder(&database));
    let restored = backup::open(file, keys).and_then(|source| {
        schema::refuse_newer(tables::number(&source, "PRAGMA user_version")?)?;
        let partial = backup::partial_name(&database)?;
        let failed = |error| Failure::of_file(&database, &error);
        let copy = open_or_make(directory, &partial).map_err(failed)?;
        let contents = backup::fill(&source, &partial, &copy, &database);
        let restored = contents.and_then(|contents| {
            let former = put(&locked, &partial).map_err(failed)?;
            Ok(Restored { contents, former })
        });
        if restored.is_err() {
            backup::remove_partial(&partial);
        }
        restored
    });
    let way_out = "Name a file that `tidebin backup` wrote.";
    restored.map_err(|failure| failure.refusal("restore", file, way_out))
}

/// Gives the copy the name of the database. Returns the name that the former one has now.
fn put(directory: &Directory, copy: &Path) -> io::Result<Option<PathBuf>> {
    let (database, log) = (directory.database(), directory.log());
    let has_bytes = |file: &PathBuf| fs::metadata(file).is_ok_and(|it| it.len() > 0);
    let mut former = None;
    if has_bytes(&database) || has_bytes(&log) {
        let beside = |end| with_end(&database, &format!(".before-restore-{end}"));
        let mut names = (1..).map(beside);
        let name = names.find(|name| !name.exists()).unwrap_or_default();
        fs::hard_link(&database, &name)?;
        unless_missing(fs::hard_link(&log, with_end(&name, "-wal")))?;
        former = Some(name);
    }
    fs::rename(copy, &database)?;
    unless_missing(fs::remove_file(&log))?;
    unless_missing(fs::remove_file(with_end(&database, "-shm")))?;
    File::open(backup::folder_of(&database))?.sync_all()?;
    Ok(former)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(end);
    path.into()
}

fn unless_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
