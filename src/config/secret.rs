//! The secret, and the keys that derive from it, one for each use, by HKDF-SHA256 (RFC 5869) with the use as its
//! `info`.
//!
//! Invariants: a secret has 1 to [`Secret::MAX_BYTES`] bytes. It is never printed, not even in debug output of the
//! whole configuration. Equal secrets give equal keys, on all nodes and after every start. A key reveals neither the
//! secret nor the key of another use.

use std::io;

use hkdf::Hkdf;
use sha2::Sha256;

use crate::hidden::Hidden;

/// A text that only the operator knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret(Hidden<String>);

/// The use of a derived key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// The key encodes ids. A few ids reveal it, so it must not be the secret itself.
    Ids,
    /// The key hashes the addresses of clients.
    Clients,
    /// All keys that seal stored pastes derive from this one.
    Storage,
}

impl Secret {
    /// Maximum bytes of a secret. A longer text is a mistake, such as a file instead of a key.
    pub const MAX_BYTES: usize = 1024;

    /// Returns the secret with this text. Returns `None` if it is empty or too long.
    pub fn new(text: &str) -> Option<Self> {
        let fits = (1..=Self::MAX_BYTES).contains(&text.len());
        fits.then(|| Self(Hidden(text.to_owned())))
    }

    /// Makes a random secret of 64 characters.
    ///
    /// # Errors
    /// Fails if the operating system returns no random bytes.
    pub fn random() -> io::Result<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let text = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(Hidden(text)))
    }

    /// Returns true if the secret has at least 32 characters. A shorter one could be guessed from stored data.
    pub(super) fn is_long(&self) -> bool {
        self.as_str().chars().count() >= 32
    }

    /// Returns the text. Only the file that keeps it may use it. For other uses see [`Secret::derive`].
    pub fn as_str(&self) -> &str {
        &self.0.0
    }

    /// Returns the key that encodes ids, as text.
    pub fn id_key(&self) -> String {
        let key: [u8; 16] = self.derive(KeyUse::Ids);
        format!("{:032x}", u128::from_be_bytes(key))
    }

    /// Returns the key for this use.
    pub fn derive<const N: usize>(&self, key_use: KeyUse) -> [u8; N] {
        let label: &[u8] = match key_use {
            KeyUse::Ids => b"tidebin ids v1",
            KeyUse::Clients => b"tidebin clients v1",
            KeyUse::Storage => b"tidebin storage v1",
        };
        let mut key = [0; N];
        Hkdf::<Sha256>::new(None, self.as_str().as_bytes())
            .expand(label, &mut key)
            .expect("a key has fewer bytes than the 8,160 that HKDF-SHA256 gives");
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_1_to_1024_bytes_and_is_not_printed() {
        assert_eq!(Secret::new(""), None);
        assert_eq!(Secret::new(&"x".repeat(1025)), None);
        let longest = Secret::new(&"x".repeat(1024)).expect("within the limit");
        assert_eq!(format!("{longest:?}"), "Secret(secret)");
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text).expect("neither empty nor too long")
    }

    #[test]
    fn the_keys_of_a_secret_never_change() {
        // Given the key that `openssl kdf` derives
        // (-keylen 16 -kdfopt digest:SHA256 -kdfopt key:correct-horse -kdfopt 'info:tidebin clients v1' HKDF)
        let key = secret("correct-horse").derive(KeyUse::Clients);
        let expected = 0xa948_9812_e43c_1784_afd7_4d60_c76a_cd3b_u128;
        assert_eq!(key, expected.to_be_bytes());
        // And with `info:tidebin ids v1`
        let expected = "51f8688015b3c5149b862457fd0476d6";
        assert_eq!(secret("correct-horse").id_key(), expected);
        // And with `-keylen 32` and `info:tidebin storage v1`
        let storage: [u8; 32] = secret("correct-horse").derive(KeyUse::Storage);
        let expected: [u128; 2] = [
            0x4675_e017_abaa_8705_525e_11f0_18cd_ecb0,
            0x010b_a073_55be_1f7c_26f0_a683_3a4c_528f,
        ];
        assert_eq!(storage[..], expected.map(u128::to_be_bytes).concat());
        assert_ne!(secret("correct-horsf").derive(KeyUse::Clients), key);
    }
}
