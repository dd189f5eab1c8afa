//! Units: the suffixes of durations and sizes in a rule.

/// Units of time, largest first, in seconds.
pub(super) const DURATIONS: [(&str, u64); 5] = [
    ("w", 7 * 24 * 3600),
    ("d", 24 * 3600),
    ("h", 3600),
    ("m", 60),
    ("s", 1),
];

/// Units of size, largest first, in bytes.
pub(super) const SIZES: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];
