//! The slug of a paste on disk. The operator reads it, so it is sealed under the secret alone.
//!
//! ```text
//! fields = slug, and zeros up to 64 bytes
//! ```
//!
//! Invariants: all sealed slugs have the same length, which so tells nothing.

use super::{Fields, Format, Keys, Nonce, RowKey, UnsealError};
use crate::paste::Slug;

const FORMAT: Format = Format {
    label: b"tidebin slug\0\0\0\0",
    version: 1,
};

/// The bytes of a sealed slug.
pub(in crate::store) const SEALED_SLUG: usize = Slug::MOST + 41;

impl Keys {
    /// Seals the slug of the paste with this row key.
    #[must_use]
    pub fn seal_slug(&self, key: RowKey, slug: &Slug, nonce: Nonce) -> Vec<u8> {
        let mut part = FORMAT.start(nonce, Slug::MOST);
        part.extend(
            slug.as_str()
                .bytes()
                .chain([0; Slug::MOST])
                .take(Slug::MOST),
        );
        FORMAT.seal(&self.slugs, [key.0, 0], &mut part);
        part
    }

    /// Opens the slug of the paste with this row key.
    ///
    /// # Errors
    /// Fails if the bytes are not the slug of this row, or if they have a newer version.
    pub fn open_slug(&self, key: RowKey, sealed: &[u8]) -> Result<Slug, UnsealError> {
        let mut part = sealed.to_vec();
        let mut fields = Fields(FORMAT.open(&self.slugs, [key.0, 0], &mut part)?);
        let text = fields.text(Slug::MOST)?.trim_end_matches('\0');
        Slug::parse(text).map_err(|_| UnsealError::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_opens_in_its_own_row_alone_and_every_sealed_one_has_the_same_length() {
        let keys = Keys::new(&[7; 32]);
        let (key, long) = (RowKey(1), "a".repeat(64));
        let lengths = ["abc", &long].map(|text| {
            let slug = Slug::parse(text).unwrap();
            let sealed = keys.seal_slug(key, &slug, Nonce::random().unwrap());
            assert_eq!(keys.open_slug(key, &sealed), Ok(slug));
            let other = keys.open_slug(RowKey(2), &sealed);
            assert_eq!(other, Err(UnsealError::Damaged));
            sealed.len()
        });
        assert_eq!(lengths[0], lengths[1]);
    }
}
