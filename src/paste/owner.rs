//! Owners. The secret of an owner allows to list, extend, change and delete all pastes that were saved with it.
//!
//! Invariants: a secret is `tbo_` and at least 22 characters of `A-Za-z0-9-_`, which can hold 128 random bits. Any
//! client may make one, and nothing is registered. The server keeps no secret, only hashes (SHA-256, FIPS 180-4). An
//! [`OwnerId`] exists only while a request of the owner is served. A paste keeps its hash, from which the id cannot be
//! found. Secrets and names have different labels, so no secret gives the id of a name. Debug output shows
//! none of these.
//! Cost: an id takes about 60 ns. A paste without an owner keeps eight bytes for none; one with an owner 96 more,
//! and about 80 each for the name and the line of its outline.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::{Outline, Slug, TokenHash};
use crate::hidden::Hidden;

/// The secret of an owner, as a client sends it.
#[derive(Debug, Clone)]
pub struct OwnerSecret(Hidden<String>);

/// Names an owner while its request is served.
#[derive(Debug, Clone, Copy)]
pub struct OwnerId(Hidden<[u8; 32]>);

/// That a paste has an owner, its place in the owner's list, and its slug if it has one.
#[derive(Debug, Clone)]
pub struct Owned {
    /// The owner.
    pub by: TokenHash,
    /// The place among all pastes of the store. Later pastes have larger ones. Only the memory tier uses it.
    pub(crate) place: u64,
    /// The slug. The durable tier keeps it in the row instead.
    pub(crate) slug: Option<Slug>,
    /// The outline, if it was made since the start. The other tiers keep it in the summary.
    pub(crate) outline: Option<Outline>,
}

impl OwnerSecret {
    /// The start of every secret.
    pub const PREFIX: &'static str = "tbo_";

    /// The fewest characters after the prefix: those of 128 bits.
    const LEAST: usize = 22;

    /// The most characters after the prefix.
    const MOST: usize = 128;

    /// The most bytes of a secret.
    pub const MOST_BYTES: usize = Self::PREFIX.len() + Self::MOST;

    /// Makes a secret of these random bytes.
    pub fn from_random(random: [u8; 16]) -> Self {
        Self(Hidden(
            [Self::PREFIX, &URL_SAFE_NO_PAD.encode(random)].concat(),
        ))
    }

    /// Returns the secret in this text, or `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(Self::PREFIX)?;
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_secret =
            (Self::LEAST..=Self::MOST).contains(&rest.len()) && rest.bytes().all(is_allowed);
        is_secret.then(|| Self(Hidden(text.to_owned())))
    }

    /// Returns the text. Only the owner may get it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the owner with this secret.
    pub fn id(&self) -> OwnerId {
        OwnerId::of_secret(&self.0)
    }
}

impl OwnerId {
    /// Returns the owner with this secret.
    pub fn of_secret(secret: &str) -> Self {
        Self::of("tidebin owner's secret\0", secret)
    }

    /// Returns the owner with this name, which the server itself has verified.
    pub fn of_name(name: &str) -> Self {
        Self::of("tidebin owner's name\0", name)
    }

    fn of(label: &str, text: &str) -> Self {
        let digest = Sha256::new().chain_update(label).chain_update(text);
        Self(Hidden(digest.finalize().into()))
    }

    /// Returns the hash that pastes keep.
    pub fn hash(&self) -> TokenHash {
        let digest = Sha256::new().chain_update("tidebin owner\0");
        TokenHash::cut(&digest.chain_update(*self.0).finalize())
    }

    /// Returns the bytes from which keys are derived.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_its_prefix_and_room_for_128_bits() {
        let long = "a".repeat(128);
        for (rest, is_secret) in [
            ("0123456789abcdefABCDE-", true),
            ("0123456789abcdefABCDE", false),
            ("0123456789abcdefABCDE ", false),
            ("0123456789abcdefABCDé", false),
            (&long, true),
            (&format!("{long}a"), false),
            ("", false),
        ] {
            assert_eq!(
                OwnerSecret::parse(&format!("tbo_{rest}")).is_some(),
                is_secret,
                "{rest}"
            );
        }
        assert!(OwnerSecret::parse(&format!("tbk_{long}")).is_none());
        let made = OwnerSecret::from_random([0xff; 16]);
        assert!(OwnerSecret::parse(made.as_str()).is_some());
    }

    #[test]
    fn a_secret_and_a_name_of_the_same_text_are_two_owners() {
        let (secret, name) = (OwnerId::of_secret("a"), OwnerId::of_name("a"));
        assert!(!secret.hash().matches(&name.hash()));
        assert!(secret.hash().matches(&OwnerId::of_secret("a").hash()));
        assert!(!secret.hash().matches(&OwnerId::of_secret("b").hash()));
    }

    #[test]
    fn no_debug_text_shows_an_owner() {
        let secret = OwnerSecret::from_random([7; 16]);
        let text = format!("{secret:?} {:?} {:?}", secret.id(), secret.id().hash());
        assert_eq!(
            text,
            "OwnerSecret(secret) OwnerId(secret) TokenHash(secret)"
        );
    }
}
