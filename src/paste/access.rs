//! Access: how the content of a paste may be had.
//!
//! What it must not know: who asks, and by which method.
//! Invariants: it never changes while a paste is kept, but for the reads that are left: what was locked is never
//! published under the same address.

use std::num::NonZeroU8;

/// How the content of a paste may be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// By whoever has the id, as often as they like.
    Open,
    /// The same; the content is an address that the paste leads to.
    Link,
    /// By whoever has the id, so many times more.
    Burn(ReadsLeft),
    /// By whoever has the password too; so many times more, if that is counted. The content is sealed.
    Locked(Option<ReadsLeft>),
}

impl Access {
    /// How often it may still be read; none if that is not counted.
    #[must_use]
    pub fn reads_left(self) -> Option<ReadsLeft> {
        match self {
            Self::Burn(left) | Self::Locked(Some(left)) => Some(left),
            Self::Open | Self::Link | Self::Locked(None) => None,
        }
    }

    /// The access after one read; none if that was the last.
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
    /// The most that may be asked for.
    pub const MOST: u8 = 100;

    /// So many; none if they are too few or too many.
    #[must_use]
    pub fn new(reads: u8) -> Option<Self> {
        NonZeroU8::new(reads)
            .filter(|reads| reads.get() <= Self::MOST)
            .map(Self)
    }

    /// How many they are.
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
