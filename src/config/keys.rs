//! Keys derived from the operator's secret, one for each use, by HKDF-SHA256 (RFC 5869) with the use as its `info`.
//!
//! Invariants: equal secrets give equal keys, on all nodes and after every start. A key reveals neither the secret nor
//! the key of another use.

use hkdf::Hkdf;
use sha2::Sha256;

use super::Secret;

/// The use of a derived key. Ids need no derived key: they are encoded with the secret itself, and old links must
/// continue to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// The key hashes the addresses of clients.
    Clients,
}

impl KeyUse {
    fn label(self) -> &'static [u8] {
        match self {
            Self::Clients => b"tidebin clients v1",
        }
    }
}

impl Secret {
    /// Returns the key for this use.
    #[must_use]
    pub fn derive(&self, key_use: KeyUse) -> [u8; 16] {
        let mut key = [0; 16];
        Hkdf::<Sha256>::new(None, self.as_str().as_bytes())
            .expand(key_use.label(), &mut key)
            .expect("16 bytes are fewer than the 8,160 that HKDF-SHA256 gives");
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_ne!(secret("correct-horsf").derive(KeyUse::Clients), key);
    }
}
