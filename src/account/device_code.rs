//! The code by which another device gets an owner's secret: short enough to be typed.
//!
//! Invariants: a code has 60 random bits. A guess of one of 1,024 codes is right once in 10^15 attempts, and attempts
//! are limited. Debug output does not show it.

use std::fmt;
use std::str::FromStr;

use subtle::ConstantTimeEq;

/// A code, as `4KX9-02TB-M7QZ`.
#[derive(Clone, Copy)]
pub struct DeviceCode(u64);

/// The digits of a code (Crockford's Base32). None looks like another.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The number of digits.
const LENGTH: u32 = 12;

impl DeviceCode {
    /// Makes a code of these random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(random) >> (u64::BITS - 5 * LENGTH))
    }

    /// Returns the code as a number, for the bytes that several machines share.
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// Returns the code whose number this is.
    pub(super) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns true if both are the same. The comparison always takes the same time.
    #[must_use]
    pub fn matches(self, other: Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

/// Reads a code as people type it: in small letters, with `O` for zero, with spaces or without hyphens.
impl FromStr for DeviceCode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut code, mut length) = (0, 0);
        for byte in text.bytes() {
            let digit = match byte.to_ascii_uppercase() {
                b'-' | b' ' => continue,
                b'O' => b'0',
                b'I' | b'L' => b'1',
                digit => digit,
            };
            let value = DIGITS.iter().position(|it| *it == digit);
            length += 1;
            match value {
                Some(value) if length <= LENGTH => code = code << 5 | value as u64,
                Some(_) | None => return Err("is not a code"),
            }
        }
        match length == LENGTH {
            true => Ok(Self(code)),
            false => Err("is not a code"),
        }
    }
}

impl fmt::Display for DeviceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for index in 0..LENGTH {
            if index > 0 && index % 4 == 0 {
                f.write_str("-")?;
            }
            let value = self.0 >> (5 * (LENGTH - 1 - index)) & 31;
            write!(f, "{}", char::from(DIGITS[value as usize]))?;
        }
        Ok(())
    }
}

impl fmt::Debug for DeviceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceCode(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_twelve_digits_in_three_groups() {
        for (random, text) in [
            ([0; 8], "0000-0000-0000"),
            ([0xff; 8], "ZZZZ-ZZZZ-ZZZZ"),
            (
                [0x00, 0x44, 0x32, 0x14, 0xc7, 0x42, 0x54, 0xb6],
                "0123-4567-89AB",
            ),
        ] {
            assert_eq!(DeviceCode::from_random(random).to_string(), text);
        }
        assert_eq!(
            format!("{:?}", DeviceCode::from_random([7; 8])),
            "DeviceCode(secret)"
        );
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code: DeviceCode = "01AB-CDEF-1Z00".parse().unwrap();
        for (typed, is_same) in [
            ("01AB-CDEF-1Z00", true),
            (" o1ab cdef lzOo\u{20}", true),
            ("OIABCDEFIZ0O", true),
            ("01AB-CDEF-1Z01", false),
            ("01AB-CDEF-1Z0", false),
            ("01AB-CDEF-1Z000", false),
            ("01AB-CDEF-1Z0U", false),
            ("01AB-CDEF-1Z0é", false),
            ("", false),
        ] {
            let read = typed.parse();
            assert_eq!(read.is_ok_and(|it| code.matches(it)), is_same, "{typed}");
        }
    }
}
