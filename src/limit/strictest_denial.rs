//! Refusals: which of several rules refuses for longest.
//!
//! What it must not know: what the rules are.
//! Invariants: a rule that never agrees lasts longer than any other; of equals the first one is named.

/// A rule's no.
#[derive(Debug, Clone, Copy)]
pub(super) struct Denial {
    /// The number of the rule among those of its action.
    pub(super) rule: usize,
    /// Nanoseconds until it agrees; none if it never does.
    pub(super) retry_after: Option<u64>,
}

/// The longest of those heard so far.
#[derive(Debug, Default)]
pub(super) struct StrictestDenial(Option<Denial>);

impl StrictestDenial {
    /// Hears that the rule of this number refuses, and for how long.
    pub(super) fn observe(&mut self, rule: usize, retry_after: Option<u64>) {
        let lasts = |denial: Denial| denial.retry_after.unwrap_or(u64::MAX);
        let denial = Denial { rule, retry_after };
        if self.0.is_none_or(|other| lasts(denial) > lasts(other)) {
            self.0 = Some(denial);
        }
    }

    pub(super) fn denial(self) -> Option<Denial> {
        self.0
    }
}
