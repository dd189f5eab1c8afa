//! Random choices that are the same in every run.

use crate::random::random;

#[derive(Default)]
pub(crate) struct Dice {
    thrown: u64,
}

impl Dice {
    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.thrown += 1;
        (random(self.thrown) % end as u64) as usize
    }
}
