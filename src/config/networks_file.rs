//! The file of networks that a setting names as `@file`: read at the start and at each reload.
//!
//! Invariants: a file is accepted as a whole or not at all. An error names the setting, the file and the line. It does
//! not quote the file, because the operator may have named a file of secrets by mistake.
//! Cost: the calling thread reads and parses the file; see `benches/networks.rs`.

use std::path::PathBuf;

use super::error::{ConfigError, ValueOrigin};
use super::{ByteSize, values};
use crate::limit::{ListParseError, NetworkPolicies};

/// The largest file, in bytes. Two million networks fit in such a file. A larger file is a mistake.
const MAX_FILE_SIZE: ByteSize = ByteSize(64 << 20);

/// A file from which the networks can be reloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworksFile {
    path: PathBuf,
    origin: ValueOrigin,
}

impl NetworksFile {
    /// Returns the file that the value names, if it names one.
    pub(super) fn named_in(value: &str, origin: &ValueOrigin) -> Option<Self> {
        let (path, origin) = (value.strip_prefix('@')?.into(), origin.clone());
        Some(Self { path, origin })
    }

    /// Reads the networks that the file now contains. Blocks until the file is read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or an entry is malformed.
    pub fn read(&self) -> Result<NetworkPolicies, ConfigError> {
        let value = format!("@{}", self.path.display());
        self.parse()
            .map_err(|problem| self.origin.refuse(&value, problem).into())
    }

    /// Returns the networks of the file. An error is a phrase that follows the value of the setting.
    pub(super) fn parse(&self) -> Result<NetworkPolicies, String> {
        let list = values::read_file(&self.path, MAX_FILE_SIZE);
        let list = list.map_err(|problem| problem.to_string())?;
        list.parse()
            .map_err(|error: ListParseError| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn at(path: PathBuf) -> NetworksFile {
        let origin = ValueOrigin {
            name: "--networks".to_owned(),
            form: "a list",
            is_secret: false,
        };
        NetworksFile { path, origin }
    }

    fn file(name: &str, content: &[u8]) -> NetworksFile {
        let path = std::env::temp_dir().join(format!("tidebin-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        at(path)
    }

    #[test]
    fn a_reload_reads_the_current_content_of_the_file() {
        let file = file("again", b"# ours\r\n10.0.0.0/8 allow\r\n");
        assert_eq!(file.read().map(|networks| networks.len()), Ok(1));
        fs::write(&file.path, "10.0.0.0/8 allow, ::/0 deny\n::1 limit x2").unwrap();
        assert_eq!(file.read().map(|networks| networks.len()), Ok(3));
        fs::remove_file(&file.path).unwrap();
        let gone = file.read().unwrap_err().to_string();
        assert!(gone.starts_with("--networks: \"@"), "{gone}");
        assert!(gone.contains("cannot be read ("), "{gone}");
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
            let message = file.read().unwrap_err().to_string();
            fs::remove_file(&file.path).unwrap();
            let path = file.path.display();
            let expected = format!("\"@{path}\" {problem}. Use a list.");
            assert_eq!(message, format!("--networks: {expected}"));
        }
        for path in ["/dev/zero".into(), std::env::temp_dir()] {
            assert_eq!(at(path).parse(), Err("is not a file".to_owned()));
        }
    }
}
