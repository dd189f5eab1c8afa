//! The boxes of which an AVIF is made, and the numbers in a header.
//!
//! Invariants: any bytes are boxes or end. Nothing is allocated.
//! Cost: each step of the iterator takes constant time, and there are at most [`MAX_BOXES`].

/// Maximum boxes of a file or box that are looked at. Images have some dozens.
const MAX_BOXES: usize = 1000;

/// Returns the payload of the first box of this kind.
pub(super) fn within<'a>(bytes: &'a [u8], wanted: &[u8; 4]) -> Option<&'a [u8]> {
    let mut found = boxes(bytes).filter(|(kind, _)| *kind == wanted);
    found.next().map(|(_, payload)| payload)
}

/// The kinds and payloads of the boxes in a file or box (ISO/IEC 14496-12, section 4.2). The last one may be cut off.
pub(super) fn boxes(mut bytes: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let next = move || {
        let (kind, size) = (array(bytes, 4)?, be32(bytes, 0)?);
        let (header, size) = match size {
            0 => (8, bytes.len()),
            1 => {
                let size = u64::from_be_bytes(*array(bytes, 8)?);
                (16, usize::try_from(size).unwrap_or(usize::MAX))
            }
            size => (8, usize::try_from(size).unwrap_or(usize::MAX)),
        };
        let payload = bytes.get(header..size.min(bytes.len()))?;
        bytes = bytes.get(size..).unwrap_or_default();
        Some((kind, payload))
    };
    std::iter::from_fn(next).take(MAX_BOXES)
}

pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at..)?.first_chunk()
}

pub(super) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(|bytes| u32::from_be_bytes(*bytes))
}
