//! The data directory: its checks at the start, and the file in it that keeps the secret.
//!
//! Invariants: the secret of a directory is made once. Its file appears whole, is on the disk before it is used, and
//! never replaces another. So servers that start at the same time have the same secret. No message contains it.
//! Cost: a start reads one file. The first start also syncs that file and the directory.

use std::fmt::Display;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::error::{ConfigError, ValueOrigin};
use super::{ByteSize, Secret, values};

/// The file that keeps the secret.
const SECRET_FILE: &str = "secret";

/// The file that a server locks.
const LOCK_FILE: &str = "lock";

/// The database. The secret that it was made with is never replaced by a new one.
const DATABASE_FILE: &str = "tidebin.db";

/// A larger file is not a secret. The bytes of a line break are allowed too.
const MAX_SECRET_FILE: ByteSize = ByteSize(Secret::MAX_BYTES + 2);

/// The permissions of other users.
const OTHERS: u32 = 0o077;

/// The directory in which pastes are stored on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir {
    path: PathBuf,
    origin: ValueOrigin,
}

impl DataDir {
    pub(super) fn new(path: &str, origin: &ValueOrigin) -> Self {
        let (path, origin) = (path.into(), origin.clone());
        Self { path, origin }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the file that keeps the secret. The file may not exist.
    pub fn secret_file(&self) -> PathBuf {
        self.path.join(SECRET_FILE)
    }

    /// Refuses a directory in which no server has made a database.
    ///
    /// # Errors
    /// Returns an error if there is no database.
    pub(super) fn require_database(&self) -> Result<(), ConfigError> {
        let problem = match fs::metadata(self.path.join(DATABASE_FILE)) {
            Ok(file) if file.len() > 0 => return Ok(()),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                "cannot be read by this user. Run this as the user of the server."
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                &format!("cannot be read ({error}). Name the data directory of the server.")
            }
            _ => "has no database. Name the data directory of the server.",
        };
        Err(self.problem(&self.path, problem))
    }

    /// Returns true if there are files of an earlier start. The secret may be in the environment, so the file of the lock
    /// is looked for too.
    pub fn was_used(&self) -> bool {
        let is_there = |name| self.path.join(name).is_file();
        is_there(SECRET_FILE) || is_there(LOCK_FILE)
    }

    /// Returns true if there is a database, or its write-ahead log (WAL) alone, that is not empty. A refused start leaves
    /// an empty log.
    pub fn has_database(&self) -> bool {
        let name = |end| self.path.join(format!("{DATABASE_FILE}{end}"));
        let has_bytes = |end| fs::metadata(name(end)).is_ok_and(|file| file.len() > 0);
        has_bytes("") || has_bytes("-wal")
    }

    /// Creates the directory if it does not exist, and checks that files can be created in it. Its parent must exist. A
    /// full disk is not an error: pastes can still be read.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created or written to.
    pub fn create(&self) -> Result<(), ConfigError> {
        self.try_create().or_else(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Ok(()),
            _ => Err(self.problem(&self.path, &cannot_write(&error))),
        })
    }

    fn try_create(&self) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Ok(()) => sync(directory_of(&self.path))?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        write_beside(&self.secret_file(), "", |_| Ok(()))
    }

    /// Returns the secret that is kept in the directory. Makes a random one if there is none.
    ///
    /// # Errors
    /// Returns an error if the file of the secret cannot be read or made, or if it does not hold a long secret.
    pub fn secret(&self) -> Result<Secret, ConfigError> {
        let path = self.secret_file();
        let refused = |problem: &dyn Display| {
            let way_out = "Restore it from your backup, or set TIDEBIN_SECRET.";
            self.problem(&path, &format!("{problem}. {way_out}"))
        };
        if !fs::exists(&path).unwrap_or(true) {
            if self.has_database() {
                return Err(refused(&"is missing, but there is a database"));
            }
            make_secret(&path).map_err(|error| self.problem(&path, &cannot_write(&error)))?;
        }
        let text = values::read_file(&path, MAX_SECRET_FILE);
        let text = text.map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied => {
                let (directory, file) = (self.path.display(), path.display());
                let problem = format!(
                    "cannot be read by this user. Run tidebin as its owner, or as root give it the owner of the \
                     directory: `chown --reference={directory} {file}; chmod 600 {file}`."
                );
                self.problem(&path, &problem)
            }
            _ => refused(&error),
        })?;
        let secret = Secret::new(text.trim()).filter(Secret::is_long);
        let secret =
            secret.ok_or_else(|| refused(&"is not a secret of 32 characters to 1024 bytes"))?;
        if fs::metadata(&path).is_ok_and(|file| file.permissions().mode() & OTHERS != 0) {
            tracing::warn!(?path, "other users may read the secret: run `chmod 600`");
        }
        Ok(secret)
    }

    /// Returns the message for this problem of the directory or a file in it.
    pub(crate) fn problem(&self, path: &Path, problem: &str) -> ConfigError {
        format!("{}: {path:?} {problem}", self.origin.name).into()
    }
}

/// Returns why a path cannot be written to and what to do, as a phrase that follows the path.
pub(super) fn cannot_write(error: &io::Error) -> String {
    let phrase = match error.kind() {
        ErrorKind::PermissionDenied => {
            "is not writable. Make the user that runs tidebin its owner. A directory that is mounted into the container \
             needs `chown 65532`."
        }
        ErrorKind::NotFound => {
            "cannot be created, because its parent directory does not exist. Create that, or correct the path."
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "cannot be written, because the disk is full. Free some space."
        }
        _ => return format!("cannot be written ({error}). Name another directory."),
    };
    phrase.to_owned()
}

/// Makes the file of the secret, unless another server has just made it.
fn make_secret(path: &Path) -> io::Result<()> {
    let put = |new: &Path| match fs::hard_link(new, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    };
    write_beside(path, Secret::random()?.as_str(), put)
}

/// Writes a new file beside `path` that only its owner may read, and waits until it is on the disk. Then `put` moves or
/// links it to its place. Otherwise the file is removed.
pub(super) fn write_beside(
    path: &Path,
    text: &str,
    put: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let random = getrandom::u64().map_err(io::Error::other)?;
    let new = directory_of(path).join(format!(".new-{random:016x}"));
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(&new);
    let is_put = file.and_then(|mut file| {
        writeln!(file, "{text}")?;
        file.sync_all()?;
        put(&new)
    });
    let _ = fs::remove_file(&new);
    is_put?;
    sync(directory_of(path))
}

/// Returns the directory of a file.
pub(super) fn directory_of(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}

/// Waits until the names in a directory are on the disk.
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests;
