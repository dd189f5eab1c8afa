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

use crate::config::error::{ConfigError, ValueOrigin};
use crate::config::setting::{DATA, MAX_DISK, SECRET};
use crate::config::sources::Sources;
use crate::config::{ByteSize, Secret, values};

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
    pub(super) origin: ValueOrigin,
    /// The budget of all its files, in bytes.
    pub max_disk: usize,
}

/// Reads the settings of the secret and of the directory. With a directory, a short secret is refused.
pub(in crate::config) fn read_settings(
    sources: &Sources,
) -> Result<(Option<Secret>, Option<DataDir>), ConfigError> {
    let secret = sources.optional_with_origin(&SECRET, values::secret)?;
    let max_disk = sources.required(&MAX_DISK, values::disk_budget)?;
    let path = |text: &str| Ok::<_, &str>(PathBuf::from(text));
    let data = sources
        .optional_with_origin(&DATA, path)?
        .map(|(path, origin)| DataDir {
            path,
            origin,
            max_disk,
        });
    match (&secret, &data) {
        (Some((secret, origin)), Some(data)) if !secret.is_long() => {
            Err(ConfigError::ShortSecret {
                secret: origin.clone(),
                data: data.origin.clone(),
            })
        }
        _ => Ok((secret.map(|(secret, _)| secret), data)),
    }
}

impl DataDir {
    /// Returns the path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the file that keeps the secret. The file may not exist.
    #[must_use]
    pub fn secret_file(&self) -> PathBuf {
        self.path.join(SECRET_FILE)
    }

    /// Refuses a directory in which no server has made a database.
    ///
    /// # Errors
    /// Returns an error if there is no database.
    pub(in crate::config) fn require_database(&self) -> Result<(), ConfigError> {
        let problem = match fs::exists(self.path.join(DATABASE_FILE)) {
            Ok(true) => return Ok(()),
            Ok(false) => "has no database. Name the data directory of the server.".to_owned(),
            Err(error) => match error.kind() {
                ErrorKind::NotADirectory => {
                    "is not a directory. Name the data directory of the server.".to_owned()
                }
                ErrorKind::PermissionDenied => {
                    "cannot be read by this user. Run this as the user of the server.".to_owned()
                }
                _ => format!("cannot be read ({error}). Name the data directory of the server."),
            },
        };
        Err(self.problem(&self.path, problem))
    }

    /// Returns true if there are files of an earlier start and no database, which every start makes. The secret may be
    /// in the environment, so the file of the lock is looked for too.
    #[must_use]
    pub fn has_lost_database(&self) -> bool {
        let has = |name| fs::exists(self.path.join(name)).unwrap_or(false);
        (has(SECRET_FILE) || has(LOCK_FILE)) && !has(DATABASE_FILE)
    }

    /// Returns true if there is a database, or its write-ahead log (WAL) alone. A refused start leaves an empty one.
    fn has_database(&self) -> bool {
        let wal = fs::metadata(self.path.join(format!("{DATABASE_FILE}-wal")));
        fs::exists(self.path.join(DATABASE_FILE)).unwrap_or(false)
            || wal.is_ok_and(|wal| wal.len() > 0)
    }

    /// Creates the directory if it does not exist, and checks that files can be created in it. Its parent must exist. A
    /// full disk is not an error: pastes can still be read.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created or written to.
    pub fn create(&self) -> Result<(), ConfigError> {
        self.try_create().or_else(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Ok(()),
            _ => Err(self.unusable(&error)),
        })
    }

    fn try_create(&self) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Ok(()) => sync_directory(match self.path.parent() {
                Some(parent) if parent != Path::new("") => parent,
                _ => Path::new("."),
            })?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let probe = self.temporary_file()?;
        File::create_new(&probe)?;
        fs::remove_file(probe)
    }

    /// Returns the secret that is kept in the directory. Makes a random one if there is none.
    ///
    /// # Errors
    /// Returns an error if the file of the secret cannot be read or made, or if it does not hold a long secret.
    pub fn secret(&self) -> Result<Secret, ConfigError> {
        let path = self.secret_file();
        if !fs::exists(&path).unwrap_or(true) {
            if self.has_database() {
                let variable = SECRET.variable();
                let problem = format!(
                    "is missing, but there is a database. Restore it from your backup, or set {variable}."
                );
                return Err(self.problem(&path, problem));
            }
            self.make_secret(&path)
                .map_err(|error| self.problem(&path, cannot_write(&error)))?;
        }
        let refused = |problem: &dyn Display| {
            let variable = SECRET.variable();
            self.problem(
                &path,
                format!("{problem}. Restore it from your backup, or set {variable}."),
            )
        };
        let text = values::read_file(&path, MAX_SECRET_FILE);
        let text = text.map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied => self.problem(&path, self.not_readable(&path)),
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

    /// Makes the file of the secret, unless another server has just made it.
    fn make_secret(&self, path: &Path) -> io::Result<()> {
        let temporary = self.temporary_file()?;
        let linked =
            write_private(&temporary, Secret::random()?.as_str()).and_then(
                |()| match fs::hard_link(&temporary, path) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
                    linked => linked,
                },
            );
        let removed = fs::remove_file(&temporary);
        linked.and(removed)?;
        sync_directory(&self.path)
    }

    /// Returns what to do about a file that this user cannot read, as a phrase that follows its path.
    fn not_readable(&self, file: &Path) -> String {
        let (directory, file) = (self.path.display(), file.display());
        format!(
            "cannot be read by this user. Run tidebin as its owner, or as root give it the owner of the directory: \
             `chown --reference={directory} {file}; chmod 600 {file}`."
        )
    }

    fn temporary_file(&self) -> io::Result<PathBuf> {
        let random = getrandom::u64().map_err(io::Error::other)?;
        Ok(self.path.join(format!(".new-{random:016x}")))
    }

    /// Returns the error for a directory whose files cannot be used for this reason.
    #[must_use]
    pub fn unusable(&self, error: &io::Error) -> ConfigError {
        self.problem(&self.path, cannot_write(error))
    }

    fn problem(&self, path: &Path, problem: String) -> ConfigError {
        ConfigError::Data {
            origin: self.origin.clone(),
            path: path.to_owned(),
            problem,
        }
    }
}

/// Returns why a path cannot be written to and what to do, as a phrase that follows the path.
pub(in crate::config) fn cannot_write(error: &io::Error) -> String {
    let phrase = match error.kind() {
        ErrorKind::PermissionDenied => {
            "is not writable. Make the user that runs tidebin its owner. A directory that is mounted into the container \
             needs `chown 65532`."
        }
        ErrorKind::ReadOnlyFilesystem => {
            "is on a read-only file system. Mount it writable, or name another directory."
        }
        ErrorKind::NotADirectory => "is not a directory. Name a directory.",
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

/// Writes a new file that only its owner may read, and waits until it is on the disk.
pub(in crate::config) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

/// Waits until the names in a directory are on the disk.
pub(in crate::config) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests;
