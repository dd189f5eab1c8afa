//! The codes for another device, as several machines share them. They contain the secrets of owners.
//!
//! ```text
//! fields = the codes, as the accounts write them
//! ```

use super::{Format, Keys, Nonce, UnsealError};

const FORMAT: Format = Format {
    label: b"tidebin codes\0\0\0",
    version: 1,
};

impl Keys {
    /// Seals all codes together.
    #[must_use]
    pub fn seal_codes(&self, codes: &[u8], nonce: Nonce) -> Vec<u8> {
        let mut part = FORMAT.start(nonce, codes.len());
        part.extend_from_slice(codes);
        FORMAT.seal(&self.codes, [0; 2], &mut part);
        part
    }

    /// Opens all codes.
    ///
    /// # Errors
    /// Fails if the bytes are not codes that were sealed under this secret, or if they have a newer version.
    pub fn open_codes(&self, sealed: &[u8]) -> Result<Vec<u8>, UnsealError> {
        let mut part = sealed.to_vec();
        let fields = FORMAT.open(&self.codes, [0; 2], &mut part)?;
        Ok(fields.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_open_under_their_secret_alone() {
        let keys = Keys::new(&[7; 32]);
        let sealed = keys.seal_codes(b"secret", Nonce::random().unwrap());
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_eq!(keys.open_codes(&sealed), Ok(b"secret".to_vec()));
        let other = Keys::new(&[8; 32]).open_codes(&sealed);
        assert_eq!(other, Err(UnsealError::Damaged));
    }
}
