//! The sealed counts of a paste: the number of all reads, and the reads by hour and day.
//!
//! ```text
//! fields = total[4, little-endian] reads             the reads as `paste::Reads` writes them
//! ```
//!
//! Cost: 53 bytes for a paste that was read in one hour only, and at most 327.

use super::{Fields, Format, Keys, Nonce, RowKey, UnsealError};
use crate::paste::Reads;

const FORMAT: Format = Format {
    label: b"tidebin counts\0\0",
    version: 1,
};

impl Keys {
    /// Seals the counts of the paste with this row key.
    #[must_use]
    pub fn seal_counts(&self, key: RowKey, total: u32, reads: &Reads, nonce: Nonce) -> Vec<u8> {
        let mut part = FORMAT.start(nonce, 16);
        part.extend_from_slice(&total.to_le_bytes());
        reads.write_to(&mut part);
        FORMAT.seal(&self.counts, [key.0, 0], &mut part);
        part
    }

    /// Opens the counts of the paste with this row key: the number of all reads, and the reads by hour and day.
    ///
    /// # Errors
    /// Fails if the bytes are not the counts of this paste, or if they have a newer version.
    pub fn open_counts(&self, key: RowKey, sealed: &[u8]) -> Result<(u32, Reads), UnsealError> {
        let mut part = sealed.to_vec();
        let mut fields = Fields(FORMAT.open(&self.counts, [key.0, 0], &mut part)?);
        let total = u32::from_le_bytes(fields.array()?);
        let reads = Reads::read_from(fields.0).ok_or(UnsealError::Damaged)?;
        Ok((total, reads))
    }
}
