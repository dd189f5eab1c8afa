//! The operator's view: metrics and recent counts.
//!
//! This room does not know HTTP. The server collects the values of [`Counters`], and this room writes them as text.
//! Invariants: an event is counted once, by the room that it belongs to, and read at the scrape. No label is text that
//! a client sent.

mod counters;
mod exposition;
mod histogram;
mod history;
mod metrics;
mod requests;

pub use counters::{Counters, Process, resident_bytes};
pub use exposition::MEDIA_TYPE;
pub use histogram::{Durations, Histogram};
pub use history::{History, Totals, totals};
pub use metrics::metrics;
pub use requests::{Labels, REFUSALS, RequestCounters, RequestCounts, STATUSES};
