//! The byte budget: limits the bytes of uploads and large responses in progress. It has three priorities.
//!
//! Invariants: all priorities together never reserve more than the budget. Saves and renders together never reserve
//! more than four fifths of it, and renders never more than three fifths. These limits are the ceilings of the
//! priorities. So when bytes run short, renders are refused first, then saves, and reads last. Waiters are served in
//! the order in which they arrived.
//! Implementation: each ceiling is a semaphore. A priority acquires permits from its own semaphore and from each
//! semaphore of a higher ceiling.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A kind of work for a client. When bytes run short, the kinds are refused in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Priority {
    /// The server renders a page.
    Render,
    /// The server receives a paste.
    Save,
    /// The server sends bytes.
    Read,
}

impl Priority {
    /// All priorities, in the order in which they are refused.
    pub const ALL: [Self; 3] = [Self::Render, Self::Save, Self::Read];

    /// Returns the position in [`Priority::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The ceiling of each priority, in fifths of the budget and in the order of [`Priority::ALL`].
const CEILINGS: [usize; 3] = [3, 4, 5];

/// Bytes are counted in units of this size, because a semaphore hands out at most 2^32 permits at a time.
const UNIT: usize = 1024;

/// A budget of bytes that transfers may acquire.
pub struct ByteBudget {
    /// The semaphore of each ceiling and its units, in the order of [`Priority::ALL`].
    levels: [(Arc<Semaphore>, usize); 3],
}

/// Acquired bytes. They are released when this is dropped.
#[must_use = "the bytes are released when dropped"]
pub struct BytePermit {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl ByteBudget {
    /// Creates a budget of this many bytes.
    pub fn new(bytes: usize) -> Self {
        let levels = CEILINGS.map(|fifths| {
            let units = (bytes / UNIT * fifths / 5).max(1);
            (Arc::new(Semaphore::new(units)), units)
        });
        Self { levels }
    }

    /// Acquires bytes without waiting. Returns `None` if too few are free, or if other callers wait for bytes.
    pub fn try_acquire(&self, priority: Priority, bytes: usize) -> Option<BytePermit> {
        let units = self.units(priority, bytes);
        let levels = self.levels[priority.index()..].iter();
        let permits = levels.map(|(level, _)| Arc::clone(level).try_acquire_many_owned(units));
        let permits = permits.collect::<Result<_, _>>().ok()?;
        Some(BytePermit { _permits: permits })
    }

    /// Acquires bytes as soon as they are free. If the future is dropped while it waits, nothing is acquired.
    pub async fn acquire(&self, priority: Priority, bytes: usize) -> BytePermit {
        let units = self.units(priority, bytes);
        let mut permits = Vec::with_capacity(self.levels.len());
        for (level, _) in &self.levels[priority.index()..] {
            let permit = Arc::clone(level).acquire_many_owned(units).await;
            permits.push(permit.expect("these semaphores are never closed"));
        }
        BytePermit { _permits: permits }
    }

    /// Returns how many bytes [`Self::acquire`] would count. They are rounded up to whole KiB, and limited to the
    /// ceiling of the priority.
    pub fn rounded(&self, priority: Priority, bytes: usize) -> usize {
        self.units(priority, bytes) as usize * UNIT
    }

    /// Returns the bytes under each ceiling, in the order of [`Priority::ALL`].
    pub(super) fn ceilings(&self) -> [u64; 3] {
        Priority::ALL.map(|priority| self.rounded(priority, usize::MAX) as u64)
    }

    /// Returns the bytes that all priorities have acquired, in whole KiB.
    pub fn in_use(&self) -> usize {
        let [.., (whole, units)] = &self.levels;
        (units - whole.available_permits()) * UNIT
    }

    /// Returns how many units a transfer of this many bytes acquires. A transfer larger than its ceiling acquires the
    /// whole ceiling, so it is admitted when no other transfer is in progress.
    fn units(&self, priority: Priority, bytes: usize) -> u32 {
        let (_, most) = self.levels[priority.index()];
        let units = bytes.div_ceil(UNIT).min(most);
        u32::try_from(units).unwrap_or(u32::MAX)
    }
}

impl BytePermit {
    /// Adds the bytes of the other permit to this one.
    pub fn merge(&mut self, other: Self) {
        self._permits.extend(other._permits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn renders_are_refused_first_then_saves_and_reads_last() {
        let budget = ByteBudget::new(10 * MIB);
        let take = |priority, mib| budget.try_acquire(priority, mib * MIB);
        let render_permits = take(Priority::Render, 6).expect("six tenths are for renders");
        assert!(take(Priority::Render, 1).is_none());
        let saves = take(Priority::Save, 2).expect("eight tenths are for renders and saves");
        assert!(take(Priority::Save, 1).is_none());
        let reads = take(Priority::Read, 2).expect("the rest is for reads");
        assert!(take(Priority::Read, 1).is_none());
        assert_eq!(budget.in_use(), 10 * MIB);
        drop((render_permits, saves, reads));
        assert_eq!(budget.in_use(), 0);
    }

    #[test]
    fn a_refusal_takes_nothing() {
        let budget = ByteBudget::new(10 * MIB);
        let _reads = budget.try_acquire(Priority::Read, 9 * MIB);
        assert!(budget.try_acquire(Priority::Render, 2 * MIB).is_none());
        assert_eq!(budget.in_use(), 9 * MIB);
        assert!(budget.try_acquire(Priority::Render, MIB).is_some());
    }

    #[test]
    fn a_transfer_larger_than_the_budget_is_admitted_alone() {
        let budget = ByteBudget::new(10 * MIB);
        let whole = budget.try_acquire(Priority::Save, 100 * MIB);
        assert!(whole.is_some() && budget.in_use() == 8 * MIB);
        assert!(budget.try_acquire(Priority::Save, 1).is_none());
    }
}
