//! The access of a paste: how its content may be read.
//!
//! Invariants: the access of a stored paste never changes, except for the number of reads that are left. So a
//! password-protected paste never becomes public under the same id.

use std::num::NonZeroU8;

/// How the content of a paste may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Any client with the id may read the content without limit.
    Open,
    /// Any client with the id may follow the short link without limit. The content is the URL that the link redirects
    /// to.
    Link,
    /// Any client with the id may read the content until no reads are left. Then the paste is deleted.
    Burn(ReadsLeft),
    /// Only clients with the password may read the content, which is encrypted. If reads are limited, the paste is
    /// deleted when no reads are left.
    Locked(Option<ReadsLeft>),
}

impl Access {
    /// Returns how often the content may still be read, or `None` if reads are not limited.
    pub fn reads_left(self) -> Option<ReadsLeft> {
        match self {
            Self::Burn(left) | Self::Locked(Some(left)) => Some(left),
            Self::Open | Self::Link | Self::Locked(None) => None,
        }
    }

    /// Returns the access after one read, or `None` if that was the last allowed read.
    pub(crate) fn after_read(self) -> Option<Self> {
        match self {
            Self::Burn(left) => left.after_read().map(Self::Burn),
            Self::Locked(Some(left)) => left.after_read().map(|left| Self::Locked(Some(left))),
            Self::Open | Self::Link | Self::Locked(None) => Some(self),
        }
    }
}

/// The number of reads that are left before a paste is deleted: 1 to [`ReadsLeft::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadsLeft(NonZeroU8);

impl ReadsLeft {
    /// Maximum number of reads that a client may ask for.
    pub const MOST: u8 = 100;

    /// One read.
    pub const ONE: Self = Self(NonZeroU8::MIN);

    /// Creates a read limit of `reads`. Returns `None` for zero and for more than [`ReadsLeft::MOST`].
    pub fn new(reads: u8) -> Option<Self> {
        NonZeroU8::new(reads)
            .filter(|reads| reads.get() <= Self::MOST)
            .map(Self)
    }

    /// Returns the number of reads: 1 to [`ReadsLeft::MOST`].
    pub fn get(self) -> u8 {
        self.0.get()
    }

    fn after_read(self) -> Option<Self> {
        Self::new(self.get() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_a_hundred_reads_may_be_left() {
        for reads in 0..=u8::MAX {
            let left = ReadsLeft::new(reads).map(ReadsLeft::get);
            assert_eq!(left, (1..=100).contains(&reads).then_some(reads));
        }
    }

    #[test]
    fn limited_reads_count_down_to_none_and_other_access_does_not_change() {
        let mut left = ReadsLeft::new(3).map(Access::Burn);
        let mut reads = 0;
        while let Some(access) = left {
            left = access.after_read();
            reads += 1;
        }
        assert_eq!(reads, 3);
        for access in [Access::Open, Access::Link, Access::Locked(None)] {
            assert_eq!(access.after_read(), Some(access));
        }
    }
}
