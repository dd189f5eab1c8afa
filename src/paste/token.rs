//! Tokens: the token of a paste is the right to change and delete it.
//!
//! Invariants: a token is 128 random bits, independent of the paste's id. Only its hash is stored: SHA-256 (FIPS 180-4),
//! cut to 128 bits, since with more the token itself would be easier to guess. Hashes are compared in constant time.
//! Neither form is ever printed.
//! Cost: a hash takes about 60 ns; one is made per save and per request with a token.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A token as the client gets it: 22 characters of `A-Za-z0-9-_`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// The stored form of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash([u8; 16]);

impl Token {
    /// The token made of these random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 16]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(random))
    }

    /// The text, for the client that saved the paste and no other.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash to store.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }
}

impl TokenHash {
    /// The hash of a text that a client presents as a token. Any text has a hash; a wrong one matches no other.
    #[must_use]
    pub fn of(presented: &str) -> Self {
        let digest = Sha256::digest(presented.as_bytes());
        let mut hash = [0; 16];
        hash.copy_from_slice(&digest[..16]);
        Self(hash)
    }

    /// Returns whether both are hashes of the same token, in a time that does not depend on where they differ.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(secret)")
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(secret)")
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
    fn neither_form_is_printed() {
        let token = Token::from_random([7; 16]);
        assert_eq!(
            format!("{token:?} {:?}", token.hash()),
            "Token(secret) TokenHash(secret)"
        );
    }
}
