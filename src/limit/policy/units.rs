//! Units. A duration or a size in a rule ends with one of these suffixes.

/// The units of time in seconds, largest first.
pub(super) const DURATIONS: [(&str, u64); 5] = [
    ("w", 7 * 24 * 3600),
    ("d", 24 * 3600),
    ("h", 3600),
    ("m", 60),
    ("s", 1),
];

/// The units of size in bytes, largest first.
pub(super) use crate::byte_size::UNITS as SIZES;
