//! Sizes in bytes. They are parsed from forms like `64KiB`, `1 MiB` and `4096`, and printed in the form `1 MiB`.
//!
//! Invariants: a size fits `usize`. A larger one is refused, and never wrapped or truncated. `KiB`, `MiB` and `GiB` are
//! powers of 1024, and `kB`, `MB` and `GB` powers of 1000. `M` is refused, because it means either.

use std::fmt;
use std::str::FromStr;

/// The units and their bytes, largest first.
pub(crate) const UNITS: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1000),
    ("B", 1),
];

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub usize);

impl ByteSize {
    /// The error for a size that does not fit. It is a phrase that follows the text.
    pub const TOO_LARGE: &str = "is too large";

    /// Returns this size, rounded down to whole MiB if it is more than one. A message shows a room so.
    pub fn rounded_down(self) -> Self {
        match self.0 {
            bytes if bytes > 1 << 20 => Self(bytes >> 20 << 20),
            _ => self,
        }
    }

    /// Returns this size, rounded up to whole MiB if it is more than one. A message shows a usage so.
    pub fn rounded_up(self) -> Self {
        match self.0 {
            bytes if bytes > 1 << 20 => Self(bytes.next_multiple_of(1 << 20)),
            _ => self,
        }
    }
}

impl FromStr for ByteSize {
    /// A phrase that follows the text.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const MALFORMED: &str = "is not a size";
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        if number.is_empty() {
            return Err(MALFORMED);
        }
        // The space is optional, as in the printed form.
        let name = unit.strip_prefix(' ').unwrap_or(unit);
        let known = UNITS.iter().find(|(it, _)| name.eq_ignore_ascii_case(it));
        let size = match known {
            Some((_, size)) => *size,
            None if unit.is_empty() => 1,
            None => return Err(MALFORMED),
        };
        let bytes = number
            .parse()
            .ok()
            .and_then(|count: u64| count.checked_mul(size));
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(Self::TOO_LARGE)
    }
}

/// Prints the size in the largest unit that divides it: `1 MiB`, `1536 KiB`, `10 MB`.
impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as u64;
        let unit = UNITS
            .iter()
            .find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size));
        match unit {
            Some((name, size)) if *size > 1 => write!(f, "{} {name}", bytes / size),
            _ if bytes == 1 => f.write_str("1 byte"),
            _ => write!(f, "{bytes} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MALFORMED: &str = "is not a size";
    const OVERFLOW: &str = "is too large";

    #[test]
    fn sizes_are_parsed_in_any_case_and_printed_in_the_largest_whole_unit() {
        for (text, bytes, words) in [
            ("0", 0, "0 bytes"),
            ("1", 1, "1 byte"),
            ("1000", 1000, "1 kB"),
            ("1001", 1001, "1001 bytes"),
            ("10MB", 10_000_000, "10 MB"),
            ("4gb", 4_000_000_000, "4 GB"),
            ("12B", 12, "12 bytes"),
            ("64KiB", 65_536, "64 KiB"),
            ("65536", 65_536, "64 KiB"),
            ("1536kib", 1_572_864, "1536 KiB"),
            ("1MIB", 1_048_576, "1 MiB"),
            ("276 MiB", 289_406_976, "276 MiB"),
            ("1024MiB", 1_073_741_824, "1 GiB"),
            ("0GiB", 0, "0 bytes"),
        ] {
            assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
            assert_eq!(ByteSize(bytes).to_string(), words);
        }
    }

    #[test]
    fn a_size_of_more_than_a_mebibyte_is_rounded_to_whole_ones() {
        for (bytes, down, up) in [
            (28 << 10, "28 KiB", "28 KiB"),
            (1 << 20, "1 MiB", "1 MiB"),
            ((1 << 20) + 1, "1 MiB", "2 MiB"),
        ] {
            assert_eq!(ByteSize(bytes).rounded_down().to_string(), down);
            assert_eq!(ByteSize(bytes).rounded_up().to_string(), up);
        }
    }

    #[test]
    fn a_text_that_is_not_a_size_is_refused_with_the_reason() {
        for (text, why) in [
            ("", MALFORMED),
            ("MiB", MALFORMED),
            ("1M", MALFORMED),
            ("1  MiB", MALFORMED),
            ("1 ", MALFORMED),
            ("1.5MiB", MALFORMED),
            ("-1", MALFORMED),
            ("+1", MALFORMED),
            ("٣KiB", MALFORMED),
            ("1KiB ", MALFORMED),
            ("18446744073709551616", OVERFLOW),
            ("17179869184GiB", OVERFLOW),
        ] {
            assert_eq!(text.parse::<ByteSize>(), Err(why), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_size_parses_back_without_the_word_bytes(bytes: usize, shift in 0u32..40) {
            let size = ByteSize(bytes >> 24 << shift);
            let written = size.to_string().replace(" bytes", "").replace(" byte", "");
            prop_assert_eq!(written.parse(), Ok(size));
        }
    }
}
