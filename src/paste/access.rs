//! Access: how the content of a paste may be read.
//!
//! Invariants: the access of a stored paste never changes, except for the number of reads that are left. So a locked paste
//! is never published under the same address.

use std::num::NonZeroU8;

/// How the content of a paste may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// By everyone who has the id, without limit.
    Open,
    /// By everyone who has the id, without limit. The content is the address that the short link leads to.
    Link,
    /// By everyone who has the id, until no reads are left.
    Burn(ReadsLeft),
    /// With the password alone, until no reads are left if they are limited. The content is encrypted.
    Locked(Option<ReadsLeft>),
}

impl Access {
    /// How often the content may still be read. Returns `None` if reads are not limited.
    #[must_use]
    pub fn reads_left(self) -> Option<ReadsLeft> {
        match self {
            Self::Burn(left) | Self::Locked(Some(left)) => Some(left),
            Self::Open | Self::Link | Self::Locked(None) => None,
        }
    }

    /// The access after one read. Returns `None` if that was the last.
    pub(super) fn after_read(self) -> Option<Self> {
        match self {
            Self::Burn(left) => left.after_read().map(Self::Burn),
            Self::Locked(Some(left)) => left.after_read().map(|left| Self::Locked(Some(left))),
            Self::Open | Self::Link | Self::Locked(None) => Some(self),
        }
    }
}

/// Reads that are left before a paste burns: 1 to [`ReadsLeft::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadsLeft(NonZeroU8);

impl ReadsLeft {
    /// The most that a client may ask for.
    pub const MOST: u8 = 100;

    /// This many reads. Returns `None` for zero and for more than [`ReadsLeft::MOST`].
    #[must_use]
    pub fn new(reads: u8) -> Option<Self> {
        NonZeroU8::new(reads)
            .filter(|reads| reads.get() <= Self::MOST)
            .map(Self)
    }

    /// The number of reads, 1 to [`ReadsLeft::MOST`].
    #[must_use]
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
    fn reads_count_down_to_none_and_nothing_else_does() {
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
