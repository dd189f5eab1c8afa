//! Multipliers. A multiplier is a factor by which the operator raises the limits of a network or a key.

use std::fmt;
use std::str::FromStr;

/// A factor from 1 to 100. The range is small enough that the product of any limit and any factor is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Multiplier(u32);

impl Multiplier {
    /// The factor for a network that the operator did not list.
    pub const ONE: Self = Self(1);

    /// The largest factor. A client that needs more should be exempted from limits.
    pub const MAX: Self = Self(100);

    /// Creates a multiplier. Returns `None` if the factor is zero or exceeds [`Self::MAX`].
    pub fn new(factor: u32) -> Option<Self> {
        (Self::ONE.0..=Self::MAX.0)
            .contains(&factor)
            .then_some(Self(factor))
    }
}

impl Default for Multiplier {
    fn default() -> Self {
        Self::ONE
    }
}

impl FromStr for Multiplier {
    type Err = &'static str;

    /// Parses `x10`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix('x')
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .and_then(Self::new)
            .ok_or("is not a factor")
    }
}

/// Writes the factor in the form that [`Multiplier::from_str`] parses.
impl fmt::Display for Multiplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

impl From<Multiplier> for u64 {
    fn from(multiplier: Multiplier) -> Self {
        multiplier.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiplier_is_from_one_to_a_hundred() {
        for (number, multiplier) in [
            (0, None),
            (1, Some(Multiplier::ONE)),
            (100, Some(Multiplier::MAX)),
            (101, None),
            (u32::MAX, None),
        ] {
            assert_eq!(Multiplier::new(number), multiplier, "{number}");
        }
    }
}
