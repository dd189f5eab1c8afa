//! The header of a paste in the engine: the facts that its functions need, before all that is sealed.
//!
//! ```text
//! value  = header[72] owned content                 numbers are little-endian
//! header = version[1] kind[1] reads left[1] flags[1] cost[4] reads[4] owned length[4] deadline[8] place[8]
//!          network[8] client[8] revision[8] owner tag[16]
//! owned  = id[49] slug[105] summary                 as on disk; without an owner nothing, without a slug no slug
//! flags  = 1: the paste has a slug
//! ```
//!
//! Invariants: `library/1_shard.lua` reads and writes the same layout. The deadline and the place are floating-point
//! numbers, which Lua can read; they are whole and below 2⁵³. Network, client and revision have their most significant
//! byte first, so that the engine orders them like numbers. A value of a newer version is refused, not misread.

use crate::fairness::ClientKey;
use crate::paste::{Access, Deadline, Revision, Timestamp};
use crate::store::seal::{Record, RowKey, UnsealError, access_of, code_of};

/// The version of the layout.
const VERSION: u8 = 1;

/// A place counts the milliseconds since this time, and has so many numbers for each. `library/1_shard.lua` chooses it.
const PLACES_SINCE: u64 = 1_577_836_800_000;
const PLACES_PER_MILLI: u64 = 64;

/// The value of a paste without an owner.
const NO_OWNER: [u8; 16] = [0; 16];

/// The header of a paste.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    pub(super) client: ClientKey,
    pub(super) revision: Revision,
    pub(super) deadline: Deadline,
    pub(super) access: Access,
    pub(super) has_slug: bool,
    /// The bytes that the paste is charged.
    pub(super) cost: u32,
    /// How often the paste was read.
    pub(super) reads: u32,
    /// The bytes between the header and the content.
    pub(super) owned: u32,
    /// The place in the list of its owner. The engine chooses it.
    pub(super) place: u64,
    /// The tag of the owner.
    pub(super) owner: Option<[u8; 16]>,
}

impl Header {
    /// The bytes of a header.
    pub(super) const BYTES: usize = 72;

    /// Returns the header as the engine stores it.
    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        let [kind, left] = code_of(self.access);
        let mut header = [0; Self::BYTES];
        header[..4].copy_from_slice(&[VERSION, kind, left, u8::from(self.has_slug)]);
        header[4..8].copy_from_slice(&self.cost.to_le_bytes());
        header[8..12].copy_from_slice(&self.reads.to_le_bytes());
        header[12..16].copy_from_slice(&self.owned.to_le_bytes());
        header[16..24].copy_from_slice(&float(self.deadline.as_millis()).to_le_bytes());
        header[24..32].copy_from_slice(&float(self.place).to_le_bytes());
        header[32..40].copy_from_slice(&self.client.network.to_be_bytes());
        header[40..48].copy_from_slice(&self.client.client.to_be_bytes());
        header[48..56].copy_from_slice(&self.revision.bits().to_be_bytes());
        header[56..].copy_from_slice(&self.owner.unwrap_or(NO_OWNER));
        header
    }

    /// Splits a value into its header, the part of its owner, and the sealed content.
    ///
    /// # Errors
    /// Fails if the value is not one of this layout.
    pub(super) fn split(value: &[u8]) -> Result<(Self, &[u8], &[u8]), UnsealError> {
        let damaged = UnsealError::Damaged;
        let (header, rest) = value
            .split_first_chunk::<{ Self::BYTES }>()
            .ok_or(damaged)?;
        let header = Self::decode(header)?;
        let owned = usize::try_from(header.owned).map_err(|_| damaged)?;
        let (owned, content) = rest.split_at_checked(owned).ok_or(damaged)?;
        Ok((header, owned, content))
    }

    /// Reads a header.
    fn decode(header: &[u8; Self::BYTES]) -> Result<Self, UnsealError> {
        let [version, kind, left, flags, rest @ ..] = header;
        if *version > VERSION {
            return Err(UnsealError::Newer(*version));
        }
        let mut rest = &rest[..];
        let cost = u32::from_le_bytes(take(&mut rest)?);
        let reads = u32::from_le_bytes(take(&mut rest)?);
        let owned = u32::from_le_bytes(take(&mut rest)?);
        let deadline = whole(f64::from_le_bytes(take(&mut rest)?))?;
        let place = whole(f64::from_le_bytes(take(&mut rest)?))?;
        let client = ClientKey {
            network: u64::from_be_bytes(take(&mut rest)?),
            client: u64::from_be_bytes(take(&mut rest)?),
        };
        let revision = Revision::from_bits(u64::from_be_bytes(take(&mut rest)?));
        let owner: [u8; 16] = take(&mut rest)?;
        let access = access_of([*kind, *left])?;
        Ok(Self {
            client,
            revision,
            deadline: Deadline::from_millis(deadline),
            access,
            has_slug: *flags == 1,
            cost,
            reads,
            owned,
            place,
            owner: (owner != NO_OWNER).then_some(owner),
        })
    }

    /// Returns the header at the start of a value, or `None` if it has none.
    pub(super) fn of(value: &[u8]) -> Option<Self> {
        Self::decode(value.first_chunk()?).ok()
    }

    /// Returns when the paste was saved. Only the place in the list of an owner tells that.
    pub(super) fn saved(&self) -> Option<Timestamp> {
        let millis = PLACES_SINCE + self.place / PLACES_PER_MILLI;
        self.owner.map(|_| Timestamp::from_millis(millis))
    }

    /// Returns the facts of the paste with this key, as the seal of its content needs them.
    pub(super) fn record(&self, key: RowKey) -> Record {
        Record {
            key,
            client: self.client,
            revision: self.revision,
            deadline: self.deadline,
            access: self.access,
        }
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], UnsealError> {
    let (field, others) = rest.split_first_chunk().ok_or(UnsealError::Damaged)?;
    *rest = others;
    Ok(*field)
}

/// Numbers up to 2⁵³ stay exact.
#[expect(
    clippy::cast_precision_loss,
    reason = "deadlines and places are below 2^53"
)]
fn float(number: u64) -> f64 {
    number as f64
}

/// Returns a number that Lua wrote.
pub(super) fn whole(number: f64) -> Result<u64, UnsealError> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    if !(0.0..=MOST).contains(&number) {
        return Err(UnsealError::Damaged);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number was compared with the range"
    )]
    Ok(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::ReadsLeft;

    fn header(access: Access) -> Header {
        Header {
            client: ClientKey {
                network: 1,
                client: u64::MAX,
            },
            revision: Revision::from_bits(3),
            deadline: Deadline::NEVER,
            access,
            has_slug: true,
            cost: 4,
            reads: 5,
            owned: 2,
            place: (1 << 50) + 1,
            owner: Some([6; 16]),
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
            let header = header(access);
            let value = [&header.encode()[..], b"ab", b"content"].concat();
            let (read, owned, content) = Header::split(&value).unwrap();
            assert_eq!(
                (read, owned, content),
                (header, &b"ab"[..], &b"content"[..])
            );
        }
    }

    #[test]
    fn a_short_damaged_or_newer_header_is_refused() {
        let value = header(Access::Open).encode();
        let refused = |value: &[u8]| Header::split(value).unwrap_err();
        assert_eq!(refused(&value[..71]), UnsealError::Damaged);
        assert_eq!(
            refused(&value),
            UnsealError::Damaged,
            "the part of the owner is missing"
        );
        let changed = |at: usize, to: u8| {
            let mut value = [&value[..], b"ab"].concat();
            value[at] = to;
            refused(&value)
        };
        assert_eq!(changed(0, 2), UnsealError::Newer(2));
        assert_eq!(changed(1, 9), UnsealError::Damaged);
        assert_eq!(
            changed(23, 0xff),
            UnsealError::Damaged,
            "a deadline that is no number"
        );
    }
}
