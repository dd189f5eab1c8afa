//! The counters of the whole server, copied into one value.
//!
//! Cost: a few locks, one after the other. Each is held while some integers are copied.

use super::state::AppState;
use crate::limit;
use crate::overload::Load;
use crate::store::{Occupancy, RemovalCounts};

/// Counts since the start of the server, and the current load and occupancy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counters {
    /// Admitted requests by action, denied requests by rule, and the occupancy of the tables of clients and networks.
    pub limits: limit::LimiterStats,
    /// Work in progress, and requests rejected because of overload.
    pub load: Load,
    /// Removed pastes by reason.
    pub gone: RemovalCounts,
    /// The number and the size of the stored pastes.
    pub store: Occupancy,
}

impl AppState {
    /// Returns the current values of all counters.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            limits: self.limiter.stats(),
            load: self.overload.load(),
            gone: self.app.store().removal_counts(),
            store: self.app.store().occupancy(),
        }
    }
}
