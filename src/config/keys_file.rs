//! The changes that `tidebin key` makes to the file of keys.
//!
//! Invariants: a damaged file is not changed. A change replaces the file at once, keeps its comments and its owner, and
//! is not lost if another change is made at the same time. Only the owner of the file may read it. If root makes the
//! file, it belongs to the owner of its directory, who runs the server.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};

use super::data_dir::{cannot_write, directory_of, write_beside};
use super::error::ConfigError;
use super::{ListFile, values};
use crate::account::{Key, KeyName, KeyRing, KeyRingError};

impl ListFile {
    /// Adds a key to the file. Makes the file if there is none.
    ///
    /// # Errors
    /// If there is a key of this name, or was one whose pastes it does not take over, or if the file cannot be changed.
    pub fn add_key(&self, key: &Key, takes_over: bool) -> Result<(), ConfigError> {
        let _lock = self.lock()?;
        let (mut text, keys) = match fs::exists(&self.path) {
            Ok(false) => Default::default(),
            Ok(true) | Err(_) => self.text_and_keys()?,
        };
        if keys.iter().any(|other| other.grant.name == key.grant.name) {
            let fault = "There is a key of this name. Revoke it first, or use another name.";
            return Err(fault.to_owned().into());
        }
        let mark = mark_of(&key.grant.name);
        if !takes_over && text.lines().any(|line| line == mark) {
            let name = &key.grant.name;
            let fault = format!(
                "A key {name} was revoked, and a new one owns what is left of its pastes: add --take-over. Before it, \
                 `tidebin key revoke {name} --with-pastes` removes them."
            );
            return Err(fault.into());
        }
        text = lines_but(&text, |line| line != mark);
        if text.is_empty() {
            text += "# name rights limit end hash";
        }
        self.replace(&format!("{}\n{}", text.trim_end_matches('\n'), key.line()))
    }

    /// Removes the key of this name. The file says so, because pastes of it may still be there: a node that knows it may
    /// just be saving one.
    ///
    /// # Errors
    /// If there is no key of this name and was none, or the file cannot be changed.
    pub fn revoke_key(&self, name: &KeyName) -> Result<(), ConfigError> {
        let _lock = self.lock()?;
        let (text, keys) = self.text_and_keys()?;
        let mark = mark_of(name);
        let was_revoked = text.lines().any(|line| line == mark);
        if !was_revoked && !keys.iter().any(|key| key.grant.name == *name) {
            let fault = "There is no key of this name. Run `tidebin key list` to see all keys.";
            return Err(fault.to_owned().into());
        }
        let is_other = |line: &str| KeyRing::name_in(line) != Some(name.as_str()) && line != mark;
        let others = lines_but(&text, is_other);
        self.replace(&format!("{others}\n{mark}"))
    }

    /// Returns the text of the file, which has valid keys.
    fn text_and_keys(&self) -> Result<(String, KeyRing), ConfigError> {
        let text = values::read_file(&self.path, self.largest);
        let text = text.map_err(|error| self.refuse(error))?;
        let keys: Result<_, KeyRingError> = text.parse();
        Ok((text, keys.map_err(|error| self.refuse(error))?))
    }

    /// Locks the directory of the file until the result is dropped.
    fn lock(&self) -> Result<File, ConfigError> {
        let directory = File::open(directory_of(&self.path));
        let locked = directory.and_then(|directory| directory.lock().map(|()| directory));
        locked.map_err(|error| self.unwritable(&error))
    }

    /// Replaces the file by one with these lines.
    fn replace(&self, text: &str) -> Result<(), ConfigError> {
        if text.len() >= self.largest.0 {
            return Err(self.refuse(format_args!("would be larger than {}", self.largest)));
        }
        // A link stays a link.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let replaced = write_beside(&path, text.trim_end(), |new| {
            let file = File::open(new)?;
            match fs::metadata(&path) {
                Ok(old) => fchown(file, Some(old.uid()), Some(old.gid()))?,
                // Only root may give a file away.
                Err(_) => {
                    let directory = fs::metadata(directory_of(&path))?;
                    let _ = fchown(file, Some(directory.uid()), Some(directory.gid()));
                }
            }
            fs::rename(new, &path)
        });
        replaced.map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &io::Error) -> ConfigError {
        let problem = cannot_write(error);
        format!("{}: {:?} {problem}", self.origin.name, self.path).into()
    }
}

/// Returns the comment that says that a key of this name was revoked.
fn mark_of(name: &KeyName) -> String {
    format!("#revoked {name}")
}

fn lines_but(text: &str, is_kept: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| is_kept(line)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use crate::account::KeyGrant;
    use crate::config::error::ValueOrigin;
    use crate::config::list_file::MOST_KEYS;
    use crate::paste::Timestamp;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    /// A file in an empty directory, which is removed at the end of the test.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new() -> (Self, ListFile) {
            let name = format!("tidebin-keys-{:016x}", getrandom::u64().unwrap());
            let directory = std::env::temp_dir().join(name);
            fs::create_dir(&directory).unwrap();
            let path = directory.join("keys").display().to_string();
            let origin = ValueOrigin {
                name: "--keys".to_owned(),
                form: "a file",
                is_secret: false,
            };
            let file = ListFile::new(&path, &path, &origin, MOST_KEYS);
            (Self(directory), file)
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key(name: &str, seed: u8) -> (Key, String) {
        let grant = KeyGrant {
            name: name.parse().unwrap(),
            rights: Default::default(),
            multiplier: Default::default(),
            end: Default::default(),
        };
        Key::from_random(grant, [seed; 16])
    }

    #[test]
    fn an_added_key_is_read_back_until_it_is_revoked() {
        let (directory, file) = Temporary::new();
        let ((alice, of_alice), (bob, of_bob)) = (key("alice", 1), key("bob", 2));
        file.add_key(&alice, false).unwrap();
        // Given a comment, and a last line without an end
        let text = fs::read_to_string(&file.path).unwrap();
        fs::write(&file.path, format!("{text}# the next one is Bob's")).unwrap();
        file.add_key(&bob, false).unwrap();
        let keys = file.read::<KeyRing>().unwrap();
        assert!(keys.find(&of_alice, NOW).is_some() && keys.find(&of_bob, NOW).is_some());
        // When one is revoked
        file.revoke_key(&alice.grant.name).unwrap();
        // Then the other and the comment stay
        let keys = file.read::<KeyRing>().unwrap();
        assert!(keys.find(&of_alice, NOW).is_none() && keys.find(&of_bob, NOW).is_some());
        let text = fs::read_to_string(&file.path).unwrap();
        assert!(text.contains("# the next one is Bob's\n"), "{text}");
        // And there is no other file, and no other user may read this one
        assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 1);
        let mode = fs::metadata(&file.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_root_makes_belongs_to_the_owner_of_its_directory() {
        // Given a directory of another user, if this test runs as root
        let (directory, file) = Temporary::new();
        let _ = std::os::unix::fs::chown(&directory.0, Some(65532), Some(65532));
        // When the first key is made, and the second
        for (name, seed) in [("alice", 1), ("bob", 2)] {
            file.add_key(&key(name, seed).0, false).unwrap();
            // Then the user who runs the server can read the file
            let owner = fs::metadata(&directory.0).unwrap().uid();
            assert_eq!(fs::metadata(&file.path).unwrap().uid(), owner);
        }
    }

    #[test]
    fn a_name_is_given_once_and_only_a_given_name_is_revoked() {
        let (_directory, file) = Temporary::new();
        let (alice, _) = key("alice", 1);
        file.add_key(&alice, false).unwrap();
        let before = fs::read_to_string(&file.path).unwrap();
        let again = file
            .add_key(&key("alice", 2).0, false)
            .unwrap_err()
            .to_string();
        assert!(again.starts_with("There is a key of this name."), "{again}");
        let unknown = file.revoke_key(&"ali".parse().unwrap()).unwrap_err();
        assert!(
            unknown
                .to_string()
                .starts_with("There is no key of this name.")
        );
        assert_eq!(fs::read_to_string(&file.path).unwrap(), before);
    }

    #[test]
    fn the_name_of_a_revoked_key_is_given_again_to_who_takes_its_pastes_over() {
        let (_directory, file) = Temporary::new();
        let key = |seed| key("alice", seed).0;
        file.add_key(&key(1), false).unwrap();
        // Given a revoked key
        file.revoke_key(&key(1).grant.name).unwrap();
        // Then a new one of its name is refused
        let refused = file.add_key(&key(2), false).unwrap_err().to_string();
        assert!(refused.contains("add --take-over"), "{refused}");
        // Until it takes the pastes over
        file.add_key(&key(2), true).unwrap();
        let text = fs::read_to_string(&file.path).unwrap();
        assert!(!text.contains("#revoked"), "{text}");
    }

    #[test]
    fn a_damaged_file_is_neither_read_nor_changed() {
        let (_directory, file) = Temporary::new();
        let missing = file.read::<KeyRing>().unwrap_err().to_string();
        assert!(missing.contains("does not exist. Use a file"), "{missing}");
        fs::write(&file.path, "alice hunter2\n").unwrap();
        let (bob, _) = key("bob", 2);
        for error in [
            file.read::<KeyRing>().unwrap_err(),
            file.add_key(&bob, false).unwrap_err(),
            file.revoke_key(&bob.grant.name).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains("is invalid at line 1: ") && !error.contains("hunter2"));
        }
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "alice hunter2\n");
    }

    #[test]
    fn a_file_that_is_too_large_is_neither_read_nor_changed() {
        let (_directory, file) = Temporary::new();
        let (alice, _) = key("alice", 1);
        let comment = "#".repeat(MOST_KEYS.0);
        fs::write(&file.path, [&comment, "\n", &alice.line()].concat()).unwrap();
        for error in [
            file.read::<KeyRing>().unwrap_err(),
            file.add_key(&key("bob", 2).0, false).unwrap_err(),
            file.revoke_key(&alice.grant.name).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains("is larger than 512 KiB"), "{error}");
        }
    }

    #[test]
    fn keys_that_are_added_at_the_same_time_are_all_kept() {
        let (_directory, file) = Temporary::new();
        std::thread::scope(|scope| {
            for seed in 0..8 {
                let file = &file;
                scope.spawn(move || {
                    file.add_key(&key(&format!("key{seed}"), seed).0, false)
                        .unwrap()
                });
            }
        });
        assert_eq!(file.read::<KeyRing>().unwrap().len(), 8);
    }
}
