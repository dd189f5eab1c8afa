//! The recently saved pastes. The newer a paste is, the more often it is read.

use std::collections::VecDeque;
use std::sync::Mutex;

/// A saved paste and its expected content.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    pub(crate) id: String,
    pub(crate) token: String,
    /// The position of the content in the worker's text.
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// The recently saved pastes, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    saved: Mutex<VecDeque<Saved>>,
}

/// The number of remembered pastes: several times the capacity of the store.
const REMEMBERED: usize = 1 << 16;

/// The number of newest pastes that are read: fewer than the store holds.
const READ: f64 = 4096.0;

/// The number of newest pastes that cannot be evicted yet. The store holds several times as many of each client.
const CERTAIN: usize = 256;

impl Recent {
    pub(crate) fn push(&self, one: Saved) {
        let mut saved = self.saved.lock().unwrap();
        if saved.len() == REMEMBERED {
            saved.pop_front();
        }
        saved.push_back(one);
    }

    /// Returns a paste to read. `share` is a random number from 0 to 1. By Zipf's law, the n-th newest paste is chosen
    /// with a probability in proportion to 1/n.
    pub(crate) fn one(&self, share: f64) -> Option<Saved> {
        let saved = self.saved.lock().unwrap();
        saved.get(Self::nth(saved.len(), share)?).cloned()
    }

    /// Does the same as [`Self::one`], and removes the paste from the list.
    pub(crate) fn take(&self, share: f64) -> Option<Saved> {
        let mut saved = self.saved.lock().unwrap();
        let nth = Self::nth(saved.len(), share)?;
        saved.remove(nth)
    }

    /// Returns whether the store must have the paste: it is one of the newest, and no worker took it to delete it.
    pub(crate) fn is_certain(&self, id: &str) -> bool {
        let saved = self.saved.lock().unwrap();
        saved.iter().rev().take(CERTAIN).any(|one| one.id == id)
    }

    /// Returns every `step`th paste, and the number of all pastes.
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
