//! The time budget of a renderer.
//!
//! Invariants: a renderer must check its budget often, so that it ends soon after the budget is used up.

/// The time that rendering may take. The caller provides the clock.
#[derive(Clone, Copy)]
pub struct TimeBudget<'a> {
    is_used_up: &'a dyn Fn() -> bool,
}

/// The budget is used up, or the renderer reached another limit. Then a plainer form of the paste is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfTime;

impl<'a> TimeBudget<'a> {
    /// Creates a budget that lasts until `is_used_up` returns true. After that, the function must always return true.
    /// It is called often, so it should be fast.
    pub const fn until(is_used_up: &'a dyn Fn() -> bool) -> Self {
        Self { is_used_up }
    }

    /// Returns an error if the budget is used up.
    pub(crate) fn check(&self) -> Result<(), OutOfTime> {
        if (self.is_used_up)() {
            Err(OutOfTime)
        } else {
            Ok(())
        }
    }
}
