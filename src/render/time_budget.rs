//! The allowance of a document: how much time a renderer may take for it.
//!
//! What it must not know: which clock that is; whoever asks for the page brings it.
//! Invariants: a renderer that asks often enough ends soon after the time is used up.

/// The time that a document may take.
#[derive(Clone, Copy)]
pub struct TimeBudget<'a> {
    is_out_of_time: &'a dyn Fn() -> bool,
}

/// The time, or another bound of a renderer, is used up: the document is shown in a plainer way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfTime;

impl<'a> TimeBudget<'a> {
    /// Until this says so, and from then on always. It is asked often, so it had better be cheap.
    #[must_use]
    pub const fn until(is_out_of_time: &'a dyn Fn() -> bool) -> Self {
        Self { is_out_of_time }
    }

    /// Whether to go on.
    pub(crate) fn check(&self) -> Result<(), OutOfTime> {
        if (self.is_out_of_time)() {
            Err(OutOfTime)
        } else {
            Ok(())
        }
    }
}

impl std::fmt::Debug for TimeBudget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TimeBudget")
    }
}
