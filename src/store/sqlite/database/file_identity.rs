//! The identity of a file of the database. It tells whether the file that is open is still the one in the directory.
//!
//! If the file was deleted, moved or replaced, SQLite goes on writing to the file that is open. Everything committed to
//! it would be lost at the stop, or at a crash.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file, known by its device and its number there.
#[derive(Debug)]
pub(crate) struct FileIdentity {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Returns the identity of the file that has this path now.
    ///
    /// # Errors
    /// Fails if there is none.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let file = fs::metadata(path)?;
        Ok(Self {
            path: path.to_owned(),
            device: file.dev(),
            inode: file.ino(),
        })
    }

    /// Returns true if the path leads to another file now, or to none.
    pub(crate) fn has_changed(&self) -> bool {
        match fs::metadata(&self.path) {
            Ok(file) => (file.dev(), file.ino()) != (self.device, self.inode),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// The name of the file.
impl fmt::Display for FileIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.path.file_name().unwrap_or_default();
        name.display().fmt(f)
    }
}
