//! Tokens: who holds one may delete its paste.
//!
//! What it must not know: where random bytes come from; they are an argument.
//! Invariants: 128 random bits, independent of the paste's id; kept only as a hash (SHA-256, FIPS 180-4, cut to 128
//! bits, beyond which the token itself would be easier to guess); compared in constant time; neither form is ever
//! printed.
//! Cost: a hash takes about 60 ns, made once a save and once a deletion.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A token as its holder knows it: 22 characters of `A-Za-z0-9-_`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// What is kept of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash([u8; 16]);

impl Token {
    /// The token made of these random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 16]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(random))
    }

    /// The text to hand to the saver, and to nobody else.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash to keep.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }
}

impl TokenHash {
    /// The hash of what somebody presents as a token; any text will do, it just will not match.
    #[must_use]
    pub fn of(presented: &str) -> Self {
        let digest = Sha256::digest(presented.as_bytes());
        let mut hash = [0; 16];
        hash.copy_from_slice(&digest[..16]);
        Self(hash)
    }

    /// Whether both are of the same token, in a time that does not depend on where they differ.
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
