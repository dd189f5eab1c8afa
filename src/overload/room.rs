//! Room: the bytes of bodies and large answers that may be under way at once, for three classes that are shed in turn.
//!
//! What it must not know: whose bytes they are, how long anybody waits.
//! Invariants: all classes together never hold more than the whole; saves and renders together never more than
//! [`SAVES`] of it, renders never more than [`RENDERS`]: so when room runs short renders are refused first, then saves,
//! and reads last. Whoever waits is served first come, first served.
//! Cost: a semaphore a level, so one for a read and three for a render.
//! How: the ceilings are nested semaphores; a class takes from its own and from all above it.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is done for a client, in the order in which it is refused when room runs short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Making a page.
    Render,
    /// Taking a paste in.
    Save,
    /// Handing bytes out.
    Read,
}

impl Priority {
    /// All of them, in this order.
    pub const ALL: [Self; 3] = [Self::Render, Self::Save, Self::Read];

    /// Its place in [`Priority::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            Self::Render => 0,
            Self::Save => 1,
            Self::Read => 2,
        }
    }
}

/// The shares of the whole, in fifths.
const RENDERS: usize = 3;
const SAVES: usize = 4;
const WHOLE: usize = 5;

/// Room is counted in units of so many bytes: a semaphore counts to 2^32 at a time.
const UNIT: usize = 1024;

/// The room there is.
#[derive(Debug)]
pub struct ByteBudget {
    /// In the order of [`Priority::ALL`]: each class takes from its own level and those after it.
    levels: [Level; 3],
}

#[derive(Debug)]
struct Level {
    semaphore: Arc<Semaphore>,
    units: usize,
}

/// Room that is taken; given back when dropped.
#[derive(Debug)]
#[must_use = "dropped, it is given back"]
pub struct BytePermit {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl ByteBudget {
    /// Room for this many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let level = |share: usize| {
            let units = (bytes / UNIT * share / WHOLE).max(1);
            Level {
                semaphore: Arc::new(Semaphore::new(units)),
                units,
            }
        };
        Self {
            levels: [level(RENDERS), level(SAVES), level(WHOLE)],
        }
    }

    /// Takes room for these bytes if there is any right now and nobody waits for it.
    pub fn try_take(&self, class: Priority, bytes: usize) -> Option<BytePermit> {
        let units = self.units(class, bytes);
        let take = |level: &Level| Arc::clone(&level.semaphore).try_acquire_many_owned(units);
        let permits: Result<_, _> = self.levels[class.index()..].iter().map(take).collect();
        permits.ok().map(|permits| BytePermit { _permits: permits })
    }

    /// Takes room for these bytes as soon as there is some; whoever is dropped while waiting has taken nothing.
    pub async fn take(&self, class: Priority, bytes: usize) -> BytePermit {
        let units = self.units(class, bytes);
        let mut permits = Vec::with_capacity(self.levels.len());
        for level in &self.levels[class.index()..] {
            // A semaphore that nobody closes never fails.
            if let Ok(permit) = Arc::clone(&level.semaphore).acquire_many_owned(units).await {
                permits.push(permit);
            }
        }
        BytePermit { _permits: permits }
    }

    /// Bytes that are counted for so many of this class: whole units, and no more than it may ever hold.
    #[must_use]
    pub fn counted(&self, class: Priority, bytes: usize) -> usize {
        self.units(class, bytes) as usize * UNIT
    }

    /// Bytes under the ceiling of each class, in the order of [`Priority::ALL`].
    pub(super) fn ceilings(&self) -> [u64; 3] {
        [0, 1, 2].map(|level: usize| (self.levels[level].units * UNIT) as u64)
    }

    /// Bytes taken in all, rounded up to whole units.
    #[must_use]
    pub fn taken(&self) -> usize {
        let [.., whole] = &self.levels;
        (whole.units - whole.semaphore.available_permits()) * UNIT
    }

    /// What is larger than all that its class may ever hold takes just that: it is let in when it is alone.
    fn units(&self, class: Priority, bytes: usize) -> u32 {
        let units = bytes.div_ceil(UNIT).min(self.levels[class.index()].units);
        u32::try_from(units).unwrap_or(u32::MAX)
    }
}

impl BytePermit {
    /// Holds this room together with the other.
    pub fn join(&mut self, more: Self) {
        self._permits.extend(more._permits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn renders_are_refused_first_then_saves_and_reads_last() {
        let room = ByteBudget::new(10 * MIB);
        let take = |class, mib| room.try_take(class, mib * MIB);
        let renders = take(Priority::Render, 6).expect("six tenths are for renders");
        assert!(take(Priority::Render, 1).is_none());
        let saves = take(Priority::Save, 2).expect("eight tenths are for renders and saves");
        assert!(take(Priority::Save, 1).is_none());
        let reads = take(Priority::Read, 2).expect("the rest is for reads");
        assert!(take(Priority::Read, 1).is_none());
        assert_eq!(room.taken(), 10 * MIB);
        drop((renders, saves, reads));
        assert_eq!(room.taken(), 0);
    }

    #[test]
    fn a_refusal_takes_nothing() {
        let room = ByteBudget::new(10 * MIB);
        let _reads = room.try_take(Priority::Read, 9 * MIB);
        assert!(room.try_take(Priority::Render, 2 * MIB).is_none());
        assert_eq!(room.taken(), 9 * MIB);
        assert!(room.try_take(Priority::Render, MIB).is_some());
    }

    #[test]
    fn what_is_larger_than_the_room_is_let_in_alone() {
        let room = ByteBudget::new(10 * MIB);
        let whole = room.try_take(Priority::Save, 100 * MIB);
        assert!(whole.is_some() && room.taken() == 8 * MIB);
        assert!(room.try_take(Priority::Save, 1).is_none());
    }
}
