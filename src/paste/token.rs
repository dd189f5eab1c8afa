//! Tokens. A client with the token of a paste may change and delete the paste.
//!
//! Invariants: a token is 128 random bits, independent of the paste's id. Only its hash is stored: SHA-256 (FIPS
//! 180-4), cut to 128 bits. A longer hash would add nothing, since guessing the token itself would be easier. Hashes
//! are compared in constant time. Debug output contains neither the token nor the hash.
//! Cost: making a hash takes about 60 ns. Each save and each request with a token makes one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::hidden::Hidden;

/// A token, as the client receives it: 22 characters of `A-Za-z0-9-_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token(Hidden<String>);

/// The hash of a token or of an owner, which the store keeps instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenHash(Hidden<[u8; 16]>);

impl Token {
    /// The number of characters.
    pub(crate) const LENGTH: usize = 22;

    /// Makes a token of these random bytes.
    pub fn from_random(random: [u8; 16]) -> Self {
        Self(Hidden(URL_SAFE_NO_PAD.encode(random)))
    }

    /// Returns the text of the token. Only the client that saved the paste may get it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the hash to store.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }
}

impl TokenHash {
    /// Returns the hash of a text that a client sent as a token. Any text has a hash. The hash of a wrong token matches
    /// no stored hash.
    pub fn of(presented: &str) -> Self {
        Self::cut(&Sha256::digest(presented))
    }

    /// Returns the hash with this digest.
    pub(super) fn cut(digest: &[u8]) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&digest[..16]);
        Self(Hidden(hash))
    }

    /// Makes a hash of its stored bytes.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Hidden(bytes))
    }

    /// Returns the bytes to store.
    pub(crate) fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Returns true if both are hashes of the same token or owner. The comparison always takes the same time.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&*other.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_matches_its_own_hash_and_no_other() {
        let token = Token::from_random([7; 16]);
        assert!(token.hash().matches(&TokenHash::of(token.as_str())));
        for wrong in [
            "",
            "x",
            &token.as_str()[1..],
            &format!("{} ", token.as_str()),
        ] {
            assert!(!token.hash().matches(&TokenHash::of(wrong)), "{wrong:?}");
        }
    }

    #[test]
    fn a_token_is_22_characters_that_need_no_escaping() {
        let token = Token::from_random([0xfb; 16]);
        assert_eq!(token.as_str().len(), 22);
        assert!(
            token
                .as_str()
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        );
    }

    #[test]
    fn neither_a_token_nor_its_hash_is_printed() {
        let token = Token::from_random([7; 16]);
        assert_eq!(
            format!("{token:?} {:?}", token.hash()),
            "Token(secret) TokenHash(secret)"
        );
    }
}
