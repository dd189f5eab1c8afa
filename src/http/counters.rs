//! The counters of the whole server, copied into one value.
//!
//! Cost: a few locks, one after the other. Each is held while some integers are copied. A small file of the system is
//! read.

use super::state::AppState;
use crate::clock::processor_time_of_process;
use crate::http::connection::ConnectionSlots;
use crate::operate::{Counters, Process, resident_bytes};

impl AppState {
    /// Returns the current values of all counters.
    pub(crate) fn counters(&self) -> Counters {
        let connections = self.connections.get().map(ConnectionSlots::counts);
        Counters {
            requests: self.requests.counts(),
            activity: self.app.activity(),
            store: self.app.store().stats(self.now()),
            limits: self.limiter.stats(),
            load: self.overload.load(),
            connections: connections.unwrap_or_default(),
            renders: self.renders.durations(),
            pages: self.pages.stats(),
            process: Process {
                started: self.clock.start(),
                processor_time: processor_time_of_process(),
                resident_bytes: resident_bytes(),
            },
        }
    }
}
