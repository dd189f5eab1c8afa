//! The restore: a backup takes the place of the database, while no server uses the directory.
//!
//! Invariants: the former database stays beside it, with its log. The backup is read row by row, so that a damaged one
//! is refused, and is whole on the disk before it gets its name. A crash leaves one of the two, or the log of the former
//! one beside the backup, which a start refuses.
//! Cost: one read of the backup, and the space of the copy.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::backup::{self, Backup, with_end};
use super::database::{Directory, FILE, Stop, give, schema, tables};
use super::failure::Failure;
use crate::store::seal::Keys;

/// Puts a copy of this backup in the place of the database in this directory. Returns what it has, and where the former
/// database is, if there was one.
///
/// With keys, they must be those of the backup.
///
/// # Errors
/// Returns a [`Failure`] if nothing was replaced, for example because a server uses the directory.
pub fn restore(
    directory: &Path,
    file: &Path,
    keys: Option<&Keys>,
    stop: &Stop,
) -> Result<(Backup, Option<PathBuf>), Failure> {
    let is_new = !directory.join(FILE).exists();
    let locked = Directory::lock(directory)?;
    let database = locked.database();
    let restored = backup::open(file, keys, stop).and_then(|source| {
        schema::refuse_newer(tables::number(&source, "PRAGMA user_version")?)?;
        backup::copy(&source, &database, |copy| {
            put(&locked, copy).map_err(|error| Failure::of_file(&database, &error))
        })
    });
    if restored.is_err() && is_new {
        // The lock has made it.
        let _ = fs::remove_file(&database);
    }
    let way_out = "Name a file that `tidebin backup` wrote.";
    restored.map_err(|failure| failure.refusal("restore", file, way_out))
}

/// Gives the copy the name of the database. Returns the name that the former one has now.
fn put(directory: &Directory, copy: &Path) -> io::Result<Option<PathBuf>> {
    let (database, log) = (directory.database(), directory.log());
    give(&directory.path, copy);
    let has_bytes = |file: &PathBuf| fs::metadata(file).is_ok_and(|it| it.len() > 0);
    let mut former = None;
    if has_bytes(&database) || has_bytes(&log) {
        let beside = |number| with_end(&database, &format!(".before-restore-{number}"));
        let mut names = (1..).map(beside);
        let name = names.find(|name| !name.exists()).unwrap_or_default();
        fs::hard_link(&database, &name)?;
        unless_missing(fs::hard_link(&log, with_end(&name, "-wal")))?;
        former = Some(name);
    }
    fs::rename(copy, &database)?;
    unless_missing(fs::remove_file(&log))?;
    unless_missing(fs::remove_file(with_end(&database, "-shm")))?;
    Ok(former)
}

fn unless_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
