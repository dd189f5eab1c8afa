//! The recently saved pastes: the newer one is, the more often it is read.

use std::collections::VecDeque;
use std::sync::Mutex;

/// A paste that should be there, and what it should be.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    pub(crate) id: String,
    pub(crate) token: String,
    /// Where in the text its content is.
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// The newest last.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    saved: Mutex<VecDeque<Saved>>,
}

/// As many as are remembered: several times those that the store keeps.
const REMEMBERED: usize = 1 << 16;

/// As many as are read: fewer than the store keeps.
const READ: f64 = 4096.0;

/// As many as are there for certain, if they were not deleted: each client keeps several times its share of them.
const CERTAIN: usize = 256;

impl Recent {
    pub(crate) fn push(&self, one: Saved) {
        let mut saved = self.saved.lock().unwrap();
        if saved.len() == REMEMBERED {
            saved.pop_front();
        }
        saved.push_back(one);
    }

    /// One to be read; the share, from 0 to 1, says which. The nth newest is as likely as Zipf says: one in n.
    pub(crate) fn one(&self, share: f64) -> Option<Saved> {
        let saved = self.saved.lock().unwrap();
        saved.get(Self::nth(saved.len(), share)?).cloned()
    }

    /// The same, which nobody else is given from now on.
    pub(crate) fn take(&self, share: f64) -> Option<Saved> {
        let mut saved = self.saved.lock().unwrap();
        let nth = Self::nth(saved.len(), share)?;
        saved.remove(nth)
    }

    /// Whether the store must have it: it is one of the newest, and nobody took it to delete it.
    pub(crate) fn is_certain(&self, id: &str) -> bool {
        let saved = self.saved.lock().unwrap();
        saved.iter().rev().take(CERTAIN).any(|one| one.id == id)
    }

    /// Every `step`th of all, and how many all are.
    pub(crate) fn sample(&self, step: usize) -> (Vec<Saved>, usize) {
        let saved = self.saved.lock().unwrap();
        (saved.iter().step_by(step).cloned().collect(), saved.len())
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank below 4096"
    )]
    fn nth(count: usize, share: f64) -> Option<usize> {
        let rank = READ.powf(share) as usize;
        count.checked_sub(rank)
    }
}
