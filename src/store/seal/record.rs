//! The record of a row: the facts of a paste that a start needs to rebuild the index. It needs no id.
//!
//! ```text
//! fields = row key[8] network[8] client[8] revision[8] deadline[8] access[1] reads left[1], little-endian
//! ```
//!
//! Invariants: a record is sealed under the secret alone and is bound to the `seq` of its row. All records of a version
//! have the same length. It is [`Record::SEALED`] for the present one.
//! Cost: a start opens every record. Each takes 0.7 µs, nearly all of it in the cipher, and no allocation.

use super::{Fields, Format, Keys, Nonce, RowKey, UnsealError};
use crate::fairness::ClientKey;
use crate::paste::{Access, Deadline, ReadsLeft, Revision};

const FORMAT: Format = Format {
    label: b"tidebin record\0\0",
    version: 1,
};

/// The bytes of all fields.
const FIELDS: usize = 42;

/// The most bytes that a sealed record of any version may have.
const MAX_SEALED: usize = 256;

/// The facts of a paste in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The keyed hash of the id.
    pub key: RowKey,
    /// The client that saved the paste.
    pub client: ClientKey,
    /// The revision of the content.
    pub revision: Revision,
    /// When the paste expires.
    pub deadline: Deadline,
    /// How the content may be read, with the number of reads that are left.
    pub access: Access,
}

impl Record {
    /// The bytes of a sealed record.
    pub const SEALED: usize = FIELDS + 41;

    /// Seals the record for the row with this `seq`.
    #[must_use]
    pub fn seal(&self, keys: &Keys, seq: u64, nonce: Nonce) -> Vec<u8> {
        let mut part = FORMAT.start(nonce, FIELDS);
        for number in [
            self.key.0,
            self.client.network,
            self.client.client,
            self.revision.bits(),
            self.deadline.as_millis(),
        ] {
            part.extend_from_slice(&number.to_le_bytes());
        }
        let kind = match self.access {
            Access::Open => 0,
            Access::Link => 1,
            Access::Burn(_) => 2,
            Access::Locked(_) => 3,
        };
        let left = self.access.reads_left().map_or(0, ReadsLeft::get);
        part.extend_from_slice(&[kind, left]);
        FORMAT.seal(&keys.records, [seq, 0], &mut part);
        part
    }

    /// Opens the record of the row with this `seq`.
    ///
    /// # Errors
    /// Fails if the bytes are not the record of this row, or if they have a newer version.
    pub fn open(keys: &Keys, seq: u64, sealed: &[u8]) -> Result<Self, UnsealError> {
        let mut part = [0; MAX_SEALED];
        let part = part.get_mut(..sealed.len()).ok_or(UnsealError::Damaged)?;
        part.copy_from_slice(sealed);
        let mut fields = Fields(FORMAT.open(&keys.records, [seq, 0], part)?);
        Ok(Self {
            key: RowKey(fields.u64()?),
            client: ClientKey {
                network: fields.u64()?,
                client: fields.u64()?,
            },
            revision: Revision::from_bits(fields.u64()?),
            deadline: Deadline::from_millis(fields.u64()?),
            access: access(fields.array()?)?,
        })
    }
}

fn access([kind, left]: [u8; 2]) -> Result<Access, UnsealError> {
    match (kind, ReadsLeft::new(left)) {
        (0, None) => Ok(Access::Open),
        (1, None) => Ok(Access::Link),
        (2, Some(left)) => Ok(Access::Burn(left)),
        (3, left) => Ok(Access::Locked(left)),
        _ => Err(UnsealError::Damaged),
    }
}
