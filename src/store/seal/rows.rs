//! The parts of a row that need no id: its record, its counts, its slug, and the tombstone of its paste.
//!
//! ```text
//! record    = row key[8] network[8] client[8] revision[8] deadline[8] access[1] reads left[1] saved[8]
//! counts    = total[4] reads                         the reads as `paste::Reads` writes them
//! slug      = slug, and zeros up to 64 bytes
//! tombstone = row key[8] reason[1] receipt
//! receipt   = when the paste ended[8], starts of the hashes of its owner[8] and its token[8]; or nothing
//! ```
//! Numbers are little-endian.
//!
//! Invariants: all are sealed under the secret alone and are bound to their row. A start rebuilds the index from the
//! records. All records of a version have the same length, which is [`Record::SEALED`] for the present one; those of
//! 0.2.0 end before `saved`. All sealed slugs have the same length, which so tells nothing.
//! Cost: a start opens every record. Each takes 0.7 µs, nearly all of it in the cipher, and no allocation. Counts take
//! 53 bytes for a paste that was read in one hour only, and at most 327.

use super::{Format, Keys, Nonce, RowKey, UnsealError, push_numbers};
use crate::fairness::ClientKey;
use crate::paste::{Access, Deadline, Reads, ReadsLeft, Revision, Slug, Timestamp};
use crate::store::{End, Reason, Receipt};

const RECORD: Format = Format(b"tidebin record\0\0");
const COUNTS: Format = Format(b"tidebin counts\0\0");
const SLUG: Format = Format(b"tidebin slug\0\0\0\0");
const TOMBSTONE: Format = Format(b"tidebin removal\0");

/// The bytes of all fields of a record.
const FIELDS: usize = 50;

/// The most bytes that a sealed record of any version may have.
const MAX_SEALED: usize = 256;

/// The bytes of a sealed slug.
pub(in crate::store) const SEALED_SLUG: usize = Slug::MOST + 41;

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
    /// When the content was saved, or 1970 if the record does not tell.
    pub saved: Timestamp,
}

impl Record {
    /// The bytes of a sealed record.
    pub const SEALED: usize = FIELDS + 41;

    /// Seals the record for the row with this `seq`.
    pub fn seal(&self, keys: &Keys, seq: u64, nonce: Nonce) -> Vec<u8> {
        RECORD.seal(&keys.records, [seq, 0], nonce, FIELDS, |part| {
            let ClientKey { network, client } = self.client;
            let (revision, deadline) = (self.revision.bits(), self.deadline.as_millis());
            push_numbers(part, [self.key.0, network, client, revision, deadline]);
            part.extend_from_slice(&code_of(self.access));
            push_numbers(part, [self.saved.as_millis()]);
        })
    }

    /// Opens the record of the row with this `seq`.
    ///
    /// # Errors
    /// Fails if the bytes are not the record of this row, or if they have a newer version.
    pub fn open(keys: &Keys, seq: u64, sealed: &[u8]) -> Result<Self, UnsealError> {
        let mut part = [0; MAX_SEALED];
        let part = part.get_mut(..sealed.len()).ok_or(UnsealError::Damaged)?;
        part.copy_from_slice(sealed);
        let mut fields = RECORD.open_in_place(&keys.records, [seq, 0], part)?;
        Ok(Self {
            key: RowKey(fields.u64()?),
            client: fields.client()?,
            revision: Revision::from_bits(fields.u64()?),
            deadline: Deadline::from_millis(fields.u64()?),
            access: access_of(fields.array()?)?,
            saved: fields.timestamp().unwrap_or_default(),
        })
    }
}

/// Returns the stored form of an access: its kind, and the number of reads that are left.
pub(in crate::store) fn code_of(access: Access) -> [u8; 2] {
    let kind = match access {
        Access::Open => 0,
        Access::Link => 1,
        Access::Burn(_) => 2,
        Access::Locked(_) => 3,
    };
    [kind, access.reads_left().map_or(0, ReadsLeft::get)]
}

/// Returns the access with this stored form.
pub(in crate::store) fn access_of([kind, left]: [u8; 2]) -> Result<Access, UnsealError> {
    match (kind, ReadsLeft::new(left)) {
        (0, None) => Ok(Access::Open),
        (1, None) => Ok(Access::Link),
        (2, Some(left)) => Ok(Access::Burn(left)),
        (3, left) => Ok(Access::Locked(left)),
        _ => Err(UnsealError::Damaged),
    }
}

impl Keys {
    /// Seals the counts of the paste with this row key.
    pub fn seal_counts(&self, key: RowKey, total: u32, reads: &Reads, nonce: Nonce) -> Vec<u8> {
        COUNTS.seal(&self.counts, [key.0, 0], nonce, 16, |part| {
            part.extend_from_slice(&total.to_le_bytes());
            reads.write_to(part);
        })
    }

    /// Opens the counts of the paste with this row key: the number of all reads, and the reads by hour and day.
    ///
    /// # Errors
    /// Fails if the bytes are not the counts of this paste, or if they have a newer version.
    pub fn open_counts(&self, key: RowKey, sealed: &[u8]) -> Result<(u32, Reads), UnsealError> {
        COUNTS.open(&self.counts, [key.0, 0], sealed, |fields| {
            let total = u32::from_le_bytes(fields.array()?);
            let reads = Reads::read_from(fields.0).ok_or(UnsealError::Damaged)?;
            Ok((total, reads))
        })
    }

    /// Seals why the paste with this key was removed, for the row with this `seq`.
    pub(in crate::store) fn seal_tombstone(
        &self,
        seq: u64,
        (key, end): (RowKey, End),
        nonce: Nonce,
    ) -> Vec<u8> {
        TOMBSTONE.seal(&self.tombstones, [seq, 0], nonce, 33, |part| {
            push_numbers(part, [key.0]);
            part.push(end.reason.code());
            push_numbers(part, end.receipt.0);
        })
    }

    /// Opens the tombstone of the row with this `seq`: the key of the paste, and why it was removed.
    ///
    /// # Errors
    /// Fails if the bytes are not the tombstone of this row, or if they have a newer version.
    pub(in crate::store) fn open_tombstone(
        &self,
        seq: u64,
        sealed: &[u8],
    ) -> Result<(RowKey, End), UnsealError> {
        TOMBSTONE.open(&self.tombstones, [seq, 0], sealed, |fields| {
            let (key, [code]) = (RowKey(fields.u64()?), fields.array()?);
            let reason = Reason::from_code(code).ok_or(UnsealError::Damaged)?;
            let mut number = || fields.u64().unwrap_or(0);
            let receipt = Receipt([number(), number(), number()]);
            Ok((key, End { reason, receipt }))
        })
    }

    /// Seals the slug of the paste with this row key.
    pub fn seal_slug(&self, key: RowKey, slug: &Slug, nonce: Nonce) -> Vec<u8> {
        SLUG.seal(&self.slugs, [key.0, 0], nonce, Slug::MOST, |part| {
            let padded = slug.as_str().bytes().chain([0; Slug::MOST]);
            part.extend(padded.take(Slug::MOST));
        })
    }

    /// Opens the slug of the paste with this row key.
    ///
    /// # Errors
    /// Fails if the bytes are not the slug of this row, or if they have a newer version.
    pub fn open_slug(&self, key: RowKey, sealed: &[u8]) -> Result<Slug, UnsealError> {
        SLUG.open(&self.slugs, [key.0, 0], sealed, |fields| {
            fields.slug(Slug::MOST)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tombstone_with_a_receipt_opens_as_one_without() {
        let keys = Keys::new(&[7; 32]);
        let nonce = || Nonce::random().unwrap();
        let reason = Reason::Deleted;
        let tombstone = |receipt| (RowKey(1), End { reason, receipt });
        let with = keys.seal_tombstone(2, tombstone(Receipt([3, 4, 5])), nonce());
        let without = TOMBSTONE.seal(&keys.tombstones, [2, 0], nonce(), 9, |part| {
            push_numbers(part, [1]);
            part.push(reason.code());
        });
        for (sealed, receipt) in [(without, [0; 3]), (with, [3, 4, 5])] {
            let opened = keys.open_tombstone(2, &sealed);
            assert_eq!(opened, Ok(tombstone(Receipt(receipt))));
        }
    }

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
