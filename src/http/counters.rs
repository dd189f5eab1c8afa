//! Counters: everything that is counted, in one look; ready to be shown.
//!
//! What it must not know: how they are shown.
//! Cost: three locks, one after the other, each held for a copy of a few integers.

use super::state::AppState;
use crate::limit;
use crate::overload::Load;
use crate::store::{Occupancy, RemovalCounts};

/// What was counted since the start, and how full everything is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counters {
    /// Requests admitted by action, refused by rule; how full the tables of clients and networks are.
    pub limits: limit::LimiterStats,
    /// What is under way, and requests turned away by class.
    pub load: Load,
    /// Pastes that went, by reason.
    pub gone: RemovalCounts,
    /// How full the store is.
    pub store: Occupancy,
}

impl AppState {
    /// Everything that is counted.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            limits: self.limiter.stats(),
            load: self.overload.load(),
            gone: self.app.store().removal_counts(),
            store: self.app.store().occupancy(),
        }
    }
}
