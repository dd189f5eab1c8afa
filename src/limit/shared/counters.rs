//! The engine as the limits see it: it keeps whole numbers under names.

use std::pin::Pin;

/// Keeps counters that several nodes share. Those of one network are in one place.
pub trait SharedCounters: Send + Sync {
    /// Adds the amount to both totals, and reads others. Returns the totals after that, and what was read; `None` stands for
    /// a counter that is not there. The implementation bounds the time.
    fn add(&self, network: u64, totals: [String; 2], amount: i64, read: Vec<String>) -> Added<'_>;

    /// Starts to change counters, and does not wait for it.
    fn start(&self, network: u64, update: CounterUpdate);
}

/// The future of an addition.
pub type Added<'a> = Pin<
    Box<dyn Future<Output = Result<([i64; 2], Vec<Option<i64>>), CountersUnavailable>> + Send + 'a>,
>;

/// The engine did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountersUnavailable;

/// A change of counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterUpdate {
    /// The totals. One that has no expiry gets one.
    pub totals: [String; 2],
    /// What is taken from both totals.
    pub less: i64,
    /// The milliseconds after which the totals expire.
    pub expires_in: u64,
    /// Names, numbers, and the milliseconds after which they expire. A number that is there already stays.
    pub marks: Vec<(String, i64, u64)>,
}
