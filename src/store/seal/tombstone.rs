//! The tombstone of a paste on disk: why the paste is gone, so that its URL can still tell after a restart.
//!
//! ```text
//! fields = row key[8, little-endian] reason[1]
//! ```

use super::{Fields, Format, Keys, Nonce, RowKey, UnsealError};
use crate::store::Reason;

const FORMAT: Format = Format {
    label: b"tidebin removal\0",
    version: 1,
};

/// Why the paste with this key was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Tombstone {
    pub(in crate::store) key: RowKey,
    pub(in crate::store) reason: Reason,
}

impl Tombstone {
    /// Seals the tombstone for the row with this `seq`.
    pub(in crate::store) fn seal(self, keys: &Keys, seq: u64, nonce: Nonce) -> Vec<u8> {
        let mut part = FORMAT.start(nonce, 9);
        part.extend_from_slice(&self.key.0.to_le_bytes());
        part.push(self.reason.code());
        FORMAT.seal(&keys.tombstones, [seq, 0], &mut part);
        part
    }

    /// Opens the tombstone of the row with this `seq`.
    ///
    /// # Errors
    /// Fails if the bytes are not the tombstone of this row, or if they have a newer version.
    pub(in crate::store) fn open(
        keys: &Keys,
        seq: u64,
        mut sealed: Vec<u8>,
    ) -> Result<Self, UnsealError> {
        let mut fields = Fields(FORMAT.open(&keys.tombstones, [seq, 0], &mut sealed)?);
        Ok(Self {
            key: RowKey(fields.u64()?),
            reason: reason(fields.array()?)?,
        })
    }
}

fn reason([code]: [u8; 1]) -> Result<Reason, UnsealError> {
    Reason::from_code(code).ok_or(UnsealError::Damaged)
}
