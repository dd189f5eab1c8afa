//! The header of a paste in the engine: the facts that its scripts need, before all that is sealed.
//!
//! ```text
//! value  = header[36] owned content                 numbers are little-endian, except the revision
//! header = version[1] kind[1] flags[1] reads left[1] reads[4] deadline[8] revision[8] place[8] owned length[4]
//! owned  = id[49] slug[105] summary                 as on disk; nothing without an owner, and no slug without a slug
//! flags  = 1: the paste has a slug
//! ```
//!
//! Invariants: `scripts/` reads and writes the same layout. A value of a newer version is refused, not misread. The
//! place is the order in the list of the owner: the microseconds from 1970 to the save. No two saves of a node have the
//! same. It is zero without an owner.

use crate::fairness::ClientKey;
use crate::paste::{Access, Deadline, PasteData, Revision, Timestamp};
use crate::store::seal::{Fields, Record, RowKey, UnsealError, access_of, code_of};

/// The version of the layout. Version 2 is the same, with a summary that has no outline.
pub(super) const VERSION: u8 = 3;

/// The header of a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) access: Access,
    pub(super) has_slug: bool,
    /// How often the paste was read.
    pub(super) reads: u32,
    pub(super) deadline: Deadline,
    pub(super) revision: Revision,
    pub(super) place: u64,
}

impl Header {
    /// The bytes of a header.
    pub(super) const BYTES: usize = 36;

    /// Makes the header of a paste that was not read yet.
    pub(super) fn new(paste: &PasteData, place: u64) -> Self {
        Self {
            access: paste.access,
            has_slug: paste.has_slug(),
            reads: 0,
            deadline: paste.deadline,
            revision: paste.revision,
            place: if paste.owned.is_some() { place } else { 0 },
        }
    }

    /// Returns the value of a paste with these parts.
    pub(super) fn value(self, owned: &[u8], sealed: &[u8]) -> Vec<u8> {
        let [kind, left] = code_of(self.access);
        let owned_bytes = u32::try_from(owned.len()).unwrap_or(u32::MAX);
        [
            &[VERSION, kind, u8::from(self.has_slug), left][..],
            &self.reads.to_le_bytes(),
            &self.deadline.as_millis().to_le_bytes(),
            &self.revision.bits().to_be_bytes(),
            &self.place.to_le_bytes(),
            &owned_bytes.to_le_bytes(),
            owned,
            sealed,
        ]
        .concat()
    }

    /// Splits a value into its header, the part of its owner, and the sealed content.
    ///
    /// # Errors
    /// Fails if the value is not one of this layout.
    pub(super) fn split(value: &[u8]) -> Result<(Self, &[u8], &[u8]), UnsealError> {
        let (header, mut rest) = Self::read(value)?;
        let owned = u32::from_le_bytes(rest.array()?) as usize;
        let parts = rest.0.split_at_checked(owned);
        let (owned, content) = parts.ok_or(UnsealError::Damaged)?;
        Ok((header, owned, content))
    }

    /// Reads the header at the start of a value. Returns also what follows.
    ///
    /// # Errors
    /// Fails if the value does not start with one of this layout.
    pub(super) fn read(value: &[u8]) -> Result<(Self, Fields<'_>), UnsealError> {
        let mut rest = Fields(value);
        let [version, kind, flags, left] = rest.array()?;
        if version > VERSION {
            return Err(UnsealError::Newer(version));
        }
        let header = Self {
            access: access_of([kind, left])?,
            has_slug: flags == 1,
            reads: u32::from_le_bytes(rest.array()?),
            deadline: Deadline::from_millis(rest.u64()?),
            revision: Revision::from_bits(u64::from_be_bytes(rest.array()?)),
            place: rest.u64()?,
        };
        Ok((header, rest))
    }

    /// Returns when the paste was saved, or 1970 without an owner.
    pub(super) fn saved(&self) -> Timestamp {
        Timestamp::from_millis(self.place / 1000)
    }

    /// Returns the facts of the paste with this key, as the seal of its content needs them.
    pub(super) fn record(&self, key: RowKey) -> Record {
        Record {
            key,
            client: ClientKey::default(),
            revision: self.revision,
            deadline: self.deadline,
            access: self.access,
            saved: self.saved(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::ReadsLeft;

    fn header(access: Access) -> Header {
        Header {
            access,
            has_slug: true,
            reads: 5,
            deadline: Deadline::NEVER,
            revision: Revision::from_bits(3),
            place: 7,
        }
    }

    #[test]
    fn a_header_is_read_as_it_was_written_and_the_parts_after_it_are_told_apart() {
        let left = ReadsLeft::new(7);
        for access in [
            Access::Open,
            Access::Link,
            Access::Burn(left.unwrap()),
            Access::Locked(None),
            Access::Locked(left),
        ] {
            let value = header(access).value(b"ab", b"content");
            let (read, owned, content) = Header::split(&value).unwrap();
            assert_eq!(
                (read, owned, content),
                (header(access), &b"ab"[..], &b"content"[..])
            );
        }
    }

    #[test]
    fn a_short_damaged_or_newer_header_is_refused() {
        let value = header(Access::Open).value(b"ab", b"");
        let refused = |value: &[u8]| Header::split(value).unwrap_err();
        for value in [&value[..35], &value[..37], b""] {
            assert_eq!(refused(value), UnsealError::Damaged);
        }
        let changed = |at: usize, to: u8| {
            let mut value = value.clone();
            value[at] = to;
            refused(&value)
        };
        assert_eq!(changed(0, 4), UnsealError::Newer(4));
        assert_eq!(changed(1, 9), UnsealError::Damaged);
    }
}
