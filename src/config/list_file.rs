//! A file that a setting names, with a list of networks or of keys. It is read at the start and at each reload.
//!
//! Invariants: a file is accepted as a whole or not at all. An error names the setting, the file and the line. It does
//! not quote the file, because the operator may have named a file of secrets by mistake.
//! Cost: the calling thread reads and parses the file.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use super::error::{ConfigError, ValueOrigin};
use super::{ByteSize, values};

/// The largest file of networks. Two million networks fit in it. A larger file is a mistake.
pub(super) const MOST_NETWORKS: ByteSize = ByteSize(64 << 20);

/// The largest file of keys. About 5,000 keys fit in it, which a request with a key compares within 50 µs.
pub(super) const MOST_KEYS: ByteSize = ByteSize(512 << 10);

/// A file with a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFile {
    pub(crate) path: PathBuf,
    /// The value of the setting, which may have an `@` before the path.
    value: String,
    pub(super) origin: ValueOrigin,
    pub(super) largest: ByteSize,
}

impl ListFile {
    /// Makes the file at this path, which the value of a setting names.
    pub(super) fn new(value: &str, path: &str, origin: &ValueOrigin, largest: ByteSize) -> Self {
        Self {
            path: path.into(),
            value: value.to_owned(),
            origin: origin.clone(),
            largest,
        }
    }

    /// Reads the list that the file now contains. Blocks until the file is read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or an entry is malformed.
    pub fn read<T: FromStr<Err: Display>>(&self) -> Result<T, ConfigError> {
        self.list().map_err(|problem| self.refuse(problem))
    }

    /// Returns the list of the file. An error is a phrase that follows the value of the setting.
    pub(super) fn list<T: FromStr<Err: Display>>(&self) -> Result<T, String> {
        let list = values::read_file(&self.path, self.largest);
        let list = list.map_err(|problem| problem.to_string())?;
        list.parse().map_err(|error: T::Err| error.to_string())
    }

    /// Returns the message for this problem of the file.
    pub(super) fn refuse(&self, problem: impl Display) -> ConfigError {
        self.origin.refuse(&self.value, problem).into()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::limit::NetworkPolicies;

    fn at(path: PathBuf) -> ListFile {
        let origin = ValueOrigin {
            name: "--networks".to_owned(),
            form: "a list",
            is_secret: false,
        };
        let value = format!("@{}", path.display());
        ListFile::new(&value, &value[1..], &origin, MOST_NETWORKS)
    }

    fn file(name: &str, content: &[u8]) -> ListFile {
        let path = std::env::temp_dir().join(format!("tidebin-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        at(path)
    }

    #[test]
    fn a_reload_reads_the_current_content_of_the_file() {
        let file = file("again", b"# ours\r\n10.0.0.0/8 allow\r\n");
        assert_eq!(
            file.read().map(|networks: NetworkPolicies| networks.len()),
            Ok(1)
        );
        fs::write(&file.path, "10.0.0.0/8 allow, ::/0 deny\n::1 limit x2").unwrap();
        assert_eq!(
            file.read().map(|networks: NetworkPolicies| networks.len()),
            Ok(3)
        );
        fs::remove_file(&file.path).unwrap();
        let gone = file.read::<NetworkPolicies>().unwrap_err().to_string();
        assert!(gone.starts_with("--networks: \"@"), "{gone}");
        assert!(gone.contains("does not exist"), "{gone}");
    }

    #[test]
    fn an_error_names_the_file_and_the_line_and_quotes_none_of_its_content() {
        for (name, content, problem) in [
            (
                "invalid",
                &b"10.0.0.0/8 allow\nhunter2 2"[..],
                "is invalid at line 2, character 1: expected an IP address or a network",
            ),
            ("bytes", b"\xff", "is not UTF-8 text"),
        ] {
            let file = file(name, content);
            let message = file.read::<NetworkPolicies>().unwrap_err().to_string();
            fs::remove_file(&file.path).unwrap();
            let path = file.path.display();
            let expected = format!("\"@{path}\" {problem}. Use a list.");
            assert_eq!(message, format!("--networks: {expected}"));
        }
        for path in ["/dev/zero".into(), std::env::temp_dir()] {
            assert_eq!(
                at(path).list::<NetworkPolicies>().map(|_| ()),
                Err("is not a file".to_owned())
            );
        }
    }
}
