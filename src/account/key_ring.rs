//! The keys of a server, and their form in a file: one key in a line.
//!
//! ```text
//! # name rights limit end hash
//! alice save,read x1 never sDd0…
//! ```
//!
//! Invariants: names are unique. A list is accepted as a whole or not at all. An error names the line and does not
//! quote it.
//! Cost: finding a key compares its hash with every key, in constant time: about 5 ns for each.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use thiserror::Error;

use super::{Key, KeyGrant, KeyName};
use crate::paste::{Timestamp, TokenHash};

/// The keys of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyRing(Vec<Arc<Key>>);

/// The reason why a list of keys is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("is invalid at line {line}: {problem}")]
pub struct KeyRingError {
    line: usize,
    problem: &'static str,
}

/// Parses a list of keys. Empty lines and lines that start with `#` are skipped.
impl FromStr for KeyRing {
    type Err = KeyRingError;

    fn from_str(text: &str) -> Result<Self, KeyRingError> {
        let mut keys: Vec<Arc<Key>> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            if Self::name_in(text).is_none() {
                continue;
            }
            let key = parse_line(text).map_err(|problem| KeyRingError { line, problem })?;
            if keys.iter().any(|other| other.grant.name == key.grant.name) {
                let problem = "the name is there already";
                return Err(KeyRingError { line, problem });
            }
            keys.push(Arc::new(key));
        }
        Ok(Self(keys))
    }
}

impl KeyRing {
    /// Returns the first word of a line, which is the name of its key. Returns `None` if the line has no key.
    pub fn name_in(line: &str) -> Option<&str> {
        let name = line.split_whitespace().next();
        name.filter(|name| !name.starts_with('#'))
    }

    /// Returns the key with this text, unless it has ended. Compares all keys, so that the time tells nothing.
    pub fn find(&self, presented: &str, now: Timestamp) -> Option<&Arc<Key>> {
        let hash = TokenHash::of(presented);
        let keys = self.0.iter();
        let found = keys.fold(None, |found, key| match key.hash.matches(&hash) {
            true => Some(key),
            false => found,
        });
        found.filter(|key| !key.grant.end.has_passed(now))
    }
}

/// The keys in the order of the list, also those that have ended.
impl Deref for KeyRing {
    type Target = [Arc<Key>];

    fn deref(&self) -> &[Arc<Key>] {
        &self.0
    }
}

fn parse_line(line: &str) -> Result<Key, &'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, rights, multiplier, end, hash] = words[..] else {
        return Err("expected a name, rights, a limit, an end and a hash");
    };
    let hash = URL_SAFE_NO_PAD.decode(hash).ok();
    let hash: [u8; 16] = hash
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or("the hash is damaged")?;
    let name: KeyName = name.parse().map_err(|_| "the name is not allowed")?;
    let grant = KeyGrant {
        name,
        rights: rights.parse().map_err(|_| "a right does not exist")?,
        multiplier: multiplier
            .parse()
            .map_err(|_| "the limit is not `x1` to `x100`")?,
        end: end
            .parse()
            .map_err(|_| "the end is not a date or `never`")?,
    };
    Ok(Key {
        grant,
        hash: TokenHash::from_bytes(hash),
    })
}

impl Key {
    /// Returns the line of the key in a list, without its line feed.
    pub fn line(&self) -> String {
        let (it, hash) = (&self.grant, URL_SAFE_NO_PAD.encode(self.hash.bytes()));
        format!(
            "{} {} {} {} {hash}",
            it.name, it.rights, it.multiplier, it.end
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn key(name: &str, end: &str, seed: u8) -> (Key, String) {
        let grant = KeyGrant {
            name: name.parse().unwrap(),
            rights: "save".parse().unwrap(),
            multiplier: "x7".parse().unwrap(),
            end: end.parse().unwrap(),
        };
        Key::from_random(grant, [seed; 16])
    }

    #[test]
    fn a_key_is_found_by_its_text_until_it_ends() {
        let (alice, of_alice) = key("alice", "never", 1);
        let (bob, of_bob) = key("bob@example.org", "2020-01-01", 2);
        let (_, of_eve) = key("eve", "never", 3);
        let list = format!("# ours\n\n{}\r\n  {}", alice.line(), bob.line());
        let ring = KeyRing::from_str(&list).unwrap();
        assert_eq!(ring.len(), 2);
        let found = ring.find(&of_alice, NOW).unwrap();
        assert_eq!(**found, alice);
        for wrong in [of_bob.as_str(), &of_eve, &of_alice[..25], "", "tbk_"] {
            assert!(ring.find(wrong, NOW).is_none(), "{wrong:?}");
        }
        assert!(ring.find(&of_bob, Timestamp::default()).is_some());
    }

    #[test]
    fn neither_the_line_nor_the_debug_output_of_a_key_has_its_text() {
        let (key, text) = key("alice", "never", 1);
        assert_eq!(text.len(), Key::LENGTH);
        let random = &text[4..];
        assert!(!key.line().contains(random) && !format!("{key:?}").contains(random));
    }

    #[test]
    fn a_malformed_line_is_refused_with_its_number_and_is_not_quoted() {
        let (key, _) = key("alice", "never", 1);
        let line = key.line();
        for (bad, problem) in [
            (
                "hunter2".to_owned(),
                "expected a name, rights, a limit, an end and a hash",
            ),
            (line.replace("alice", "al/ice"), "the name is not allowed"),
            (
                line.replace("alice", &"a".repeat(65)),
                "the name is not allowed",
            ),
            (line.replace("save", "sav"), "a right does not exist"),
            (
                line.replace("x7", "x101"),
                "the limit is not `x1` to `x100`",
            ),
            (
                line.replace("never", "soon"),
                "the end is not a date or `never`",
            ),
            (line[..line.len() - 1].to_owned(), "the hash is damaged"),
            (
                format!("{line} more"),
                "expected a name, rights, a limit, an end and a hash",
            ),
            (line.clone(), "the name is there already"),
        ] {
            let list = format!("{line}\n{bad}\n");
            let error = KeyRing::from_str(&list).unwrap_err().to_string();
            assert_eq!(error, format!("is invalid at line 2: {problem}"));
        }
    }
}
