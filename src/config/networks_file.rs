//! The file of networks: named as `@file` by a setting, read at the start and whenever the operator says so.
//!
//! What it must not know: who says so, and what the networks are for.
//! Invariants: a file is taken whole or not at all; what is refused names the setting, the file and the place in it,
//! and repeats nothing of the file: a name given by mistake may be that of a secret.
//! Cost: reads and parses on the thread that calls; see `benches/networks.rs`.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::{ConfigError, Place};
use super::setting::NETWORKS;
use super::sources::Sources;
use crate::limit::NetworkPolicies;

/// Two million networks fit. A larger file is a mistake.
const LARGEST: u64 = 64 << 20;

/// Where a list of networks can be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworksFile {
    path: PathBuf,
    place: Place,
}

impl NetworksFile {
    /// The list as it stands in the file now. Blocks while it is read.
    ///
    /// # Errors
    /// If the file cannot be read or an entry is misread.
    pub fn read(&self) -> Result<NetworkPolicies, ConfigError> {
        read_file(&self.path).map_err(|problem| {
            let value = format!("@{}", self.path.display());
            ConfigError::invalid(&NETWORKS, self.place.clone(), &value, problem)
        })
    }
}

/// The setting's networks, and the file that they came from if it names one.
pub(super) fn read_setting(
    sources: &Sources,
) -> Result<(NetworkPolicies, Option<NetworksFile>), ConfigError> {
    let found = sources.optional(&NETWORKS, |text| match text.strip_prefix('@') {
        Some(path) => {
            read_file(Path::new(path)).map(|networks| (networks, Some(PathBuf::from(path))))
        }
        None => match text.parse() {
            Ok(networks) => Ok((networks, None)),
            Err(misread) => Err(format!("{misread}")),
        },
    })?;
    let Some(((networks, path), place)) = found else {
        return Ok((NetworkPolicies::default(), None));
    };
    Ok((networks, path.map(|path| NetworksFile { path, place })))
}

/// The list in this file, or a phrase that says why not.
fn read_file(path: &Path) -> Result<NetworkPolicies, String> {
    let cannot = |error: std::io::Error| format!("cannot be read ({error})");
    // To open a pipe would wait for its writer, who may never come.
    if !fs::metadata(path).map_err(cannot)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err("is larger than 64 MiB".to_owned());
    }
    let list = String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".to_owned())?;
    list.parse()
        .map_err(|error: crate::limit::ListParseError| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn file(name: &str, content: &[u8]) -> NetworksFile {
        let path = std::env::temp_dir().join(format!("tidebin-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        NetworksFile {
            path,
            place: Place {
                name: "--networks".to_owned(),
                source: Source::Flag,
            },
        }
    }

    #[test]
    fn a_file_is_read_again_as_it_stands() {
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
    fn a_refused_file_is_named_with_the_place_and_without_what_is_in_it() {
        for (name, content, problem) in [
            (
                "misread",
                &b"10.0.0.0/8 allow\nhunter2 2"[..],
                "is misread at line 2, column 1: this is neither an address nor a prefix",
            ),
            ("bytes", b"\xff", "is not text in UTF-8"),
        ] {
            let file = file(name, content);
            let message = file.read().unwrap_err().to_string();
            fs::remove_file(&file.path).unwrap();
            let path = file.path.display();
            let expected = format!("\"@{path}\" {problem}; write {}", NETWORKS.form);
            assert_eq!(message, format!("--networks: {expected}"));
        }
        assert_eq!(
            read_file(Path::new("/dev/zero")),
            Err("is not a file".to_owned())
        );
        assert_eq!(
            read_file(&std::env::temp_dir()),
            Err("is not a file".to_owned())
        );
    }
}
