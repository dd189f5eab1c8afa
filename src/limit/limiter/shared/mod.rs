//! Limits that several nodes share through an engine.
//!
//! The limiter of a node stays the only place that decides. The engine keeps the state of each entry as opaque bytes
//! with a version, and replaces it only if the version is the expected one. There is one mechanism for everything: a
//! node sends its entry, and if another node was faster, it applies its own charges to the answer and sends it again.
//!
//! - Saves are exact ([`exact`]): the engine stores the charge before the save is admitted.
//! - All other charges are decided here at once and settled soon after ([`settle`]).
//!
//! Invariants: Times are nanoseconds since 1970, so that all nodes mean the same by them. Their clocks have to agree,
//! see [`blob`]. Nodes with other rules use other keys. Memory is bounded by [`tracking`]. If the engine fails, every
//! node limits clients on its own, and settles what it can remember when the engine is back.
//! Over-admission: each of N nodes may grant a sixteenth of a burst, and what comes back in a settling interval, before
//! it learns of the others. A bucket records the excess as debt, so it is made up for. The long-run rate is exact.

mod blob;
mod engine;
mod entry_state;
mod exact;
mod exchange;
mod pending;
mod settle;
mod sharing;
mod tracking;

pub use engine::{Exchange, LimitEngine, LimitEntry, LimitExchange, LimitsUnavailable};
#[cfg(test)]
pub(super) use entry_state::EntryState;
pub use exact::NotAdmitted;
pub(super) use pending::Change;
pub(super) use sharing::Sharing;
pub(super) use tracking::Tracking;
