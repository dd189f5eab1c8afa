//! A verdict: what several rules say together.
//!
//! What it must not know: what the rules are.
//! Invariants: one no is a no; the wait is the longest of all, and so is the time after which to come back.

/// What was heard so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verdict {
    /// Nanoseconds to wait if nobody refuses.
    pub(super) wait: u64,
    /// The one that refuses for longest.
    pub(super) refusal: Option<Refusal>,
}

/// A rule's no.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    /// The number of the rule among those of its action.
    pub(super) rule: usize,
    /// Nanoseconds until it agrees; none if it never does.
    pub(super) retry_after: Option<u64>,
}

impl Refusal {
    /// Whether it lasts longer than the other one.
    pub(super) fn outlasts(self, other: Self) -> bool {
        match (self.retry_after, other.retry_after) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(this), Some(that)) => this > that,
        }
    }
}

impl Verdict {
    /// Nobody objects.
    pub(super) const YES: Self = Self {
        wait: 0,
        refusal: None,
    };

    /// Hears the rule of this number: how long to wait, or when to come back.
    pub(super) fn hear(&mut self, rule: usize, said: Result<u64, Option<u64>>) {
        match said {
            Ok(wait) => self.wait = self.wait.max(wait),
            Err(retry_after) => {
                let refusal = Refusal { rule, retry_after };
                if self.refusal.is_none_or(|other| refusal.outlasts(other)) {
                    self.refusal = Some(refusal);
                }
            }
        }
    }
}
