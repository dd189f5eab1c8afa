//! Keys: each belongs to someone whom the operator knows by a name, and gives rights.
//!
//! Invariants: a key has 128 random bits. Only its hash is stored, so a lost key cannot be shown again.

use std::fmt;
use std::str::FromStr;

use super::{KeyEnd, Rights};
use crate::limit::Multiplier;
use crate::paste::{Token, TokenHash};

/// The start of every key, by which people and scanners for lost secrets know it.
const PREFIX: &str = "tbk_";

/// Returns true if a text claims to be a key. It may be malformed.
pub fn is_key(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Returns true if a text has the prefix and the length of a key. The token of a paste is shorter.
pub fn is_whole_key(text: &str) -> bool {
    is_key(text) && text.len() == Key::LENGTH
}

/// A key, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The holder of the key, and its rights.
    pub grant: KeyGrant,
    /// The hash of its text.
    pub hash: TokenHash,
}

/// The operator's decisions about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGrant {
    /// The holder.
    pub name: KeyName,
    /// The rights of the holder.
    pub rights: Rights,
    /// The factor by which the limits of the holder's client are multiplied.
    pub multiplier: Multiplier,
    /// The last day of the key.
    pub end: KeyEnd,
}

/// The name of a key: 1 to 64 of `A-Za-z0-9._@-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName(String);

impl Key {
    /// The characters of a key.
    pub const LENGTH: usize = PREFIX.len() + 22;

    /// Makes a key of these random bytes. Also returns its text, which only its holder may get.
    pub fn from_random(grant: KeyGrant, random: [u8; 16]) -> (Self, String) {
        let text = [PREFIX, Token::from_random(random).as_str()].concat();
        let hash = TokenHash::of(&text);
        (Self { grant, hash }, text)
    }
}

impl KeyName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
        match text.len() {
            1..=64 if text.bytes().all(is_allowed) => Ok(Self(text.to_owned())),
            _ => Err("is not a name"),
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
