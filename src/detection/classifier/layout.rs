//! The layout of the table of weights, for the module that reads it and the program that writes it.
//!
//! The file has four parts. Numbers are little-endian.
//! - A line of names of languages, separated by spaces.
//! - A bias for each language, as `f32`.
//! - Where each of the [`BUCKETS`] starts in the rows, and where the last one ends, as `u32`.
//! - The rows, each in the bucket of its feature: its [`key`], the number of its weights in one byte, and for each
//!   weight two bytes: the number of its language, and the weight times [`PER_UNIT`].

/// Number of buckets. They have three rows on average.
pub(super) const BUCKETS: usize = 1 << BUCKET_BITS;
const BUCKET_BITS: u32 = 12;

/// A weight of one, as the table stores it.
pub(super) const PER_UNIT: f32 = 16.0;

/// Returns the number of the bucket of this feature: its first bits.
pub(super) fn bucket(feature: u32) -> usize {
    (feature >> (u32::BITS - BUCKET_BITS)) as usize
}

/// Returns the key that tells this feature from others of its bucket: its next 16 bits.
pub(super) fn key(feature: u32) -> [u8; 2] {
    let [_, next, after, _] = feature.rotate_left(BUCKET_BITS - 8).to_be_bytes();
    [next, after]
}
