//! What was used in the window that ends now, estimated from two windows that do not move.
//!
//! Invariant: a request that waits as long as told fits then, if nothing else is charged meanwhile.

/// What was used in a window and in the one before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    pub(super) previous: u64,
    pub(super) present: u64,
    /// The milliseconds since the present window began.
    pub(super) elapsed: u64,
    /// The milliseconds of a window.
    pub(super) length: u64,
}

impl Estimate {
    /// Checks whether the amount fits into the limit.
    ///
    /// # Errors
    /// Returns an error if it does not: the milliseconds until it does, or `None` if it never does.
    pub(super) fn fits(&self, amount: u64, limit: u64) -> Result<(), Option<u64>> {
        if amount == 0 {
            return Ok(());
        }
        let left = limit.checked_sub(amount).ok_or(None)?;
        // Of the previous window, as much counts as a sliding window would still cover.
        let fits_at = match left.checked_sub(self.present) {
            Some(left) => self.covers_at_most(left, self.previous),
            // It fits only when the present window is the previous one.
            None => self.length + self.covers_at_most(left, self.present),
        };
        match fits_at.checked_sub(self.elapsed) {
            None | Some(0) => Ok(()),
            Some(wait) => Err(Some(wait)),
        }
    }

    /// Returns after how many milliseconds of a window at most `left` of what the previous one used counts.
    fn covers_at_most(&self, left: u64, previous: u64) -> u64 {
        if previous <= left {
            return 0;
        }
        let covered = u128::from(self.length) * u128::from(left) / u128::from(previous);
        self.length - u64::try_from(covered).unwrap_or(self.length)
    }
}
