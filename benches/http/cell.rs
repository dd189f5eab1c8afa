//! A cell of the table: one kind of load at one number of connections, on both servers in turn.

use crate::load::{Load, Server};
use crate::timing::median;

/// The number of runs of wrk, and their length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunPlan {
    rounds: usize,
    seconds: u64,
}

impl RunPlan {
    pub(crate) const USUAL: Self = Self {
        rounds: 3,
        seconds: 2,
    };
    pub(crate) const QUICK: Self = Self {
        rounds: 1,
        seconds: 1,
    };
}

/// The results: medians over the rounds, and the errors of all rounds.
#[derive(Debug)]
pub(crate) struct Cell {
    /// The processor time of tidebin in microseconds per request.
    pub(crate) ours: f64,
    /// The processor time of the bare handler in microseconds per request.
    pub(crate) bare: f64,
    /// Responses of tidebin per second.
    pub(crate) rate: f64,
    /// The median latency of tidebin in milliseconds.
    pub(crate) p50: f64,
    /// The 99th percentile of the latencies of tidebin in milliseconds.
    pub(crate) p99: f64,
    /// The errors of both servers: failed connections, late responses, and error statuses where the row expects success
    /// or the other way round.
    pub(crate) errors: f64,
}

impl Cell {
    pub(crate) fn measure(
        plan: RunPlan,
        connections: usize,
        script: &str,
        ours: &Server,
        bare: &Server,
        status: u16,
    ) -> Self {
        let args = [format!("-c{connections}"), format!("-d{}s", plan.seconds)];
        let rounds: Vec<[Load; 2]> = (0..plan.rounds)
            .map(|_| [ours, bare].map(|server| server.load(script, &args)))
            .collect();
        let middle = |server: usize, figure: fn(&Load) -> f64| {
            median(rounds.iter().map(|loads| figure(&loads[server])).collect())
        };
        let cost = |load: &Load| load.processor / load.requests;
        Self {
            ours: middle(0, cost),
            bare: middle(1, cost),
            rate: middle(0, |load| load.requests / load.seconds),
            p50: middle(0, |load| load.p50),
            p99: middle(0, |load| load.p99),
            errors: rounds
                .iter()
                .flatten()
                .map(|load| errors(load, status))
                .sum(),
        }
    }
}

/// Counts the errors of a run. wrk reports only the number of statuses of 400 and above. If the row expects such a
/// status, all other responses are errors. The exact status is checked by one request before the run and one after it.
fn errors(load: &Load, status: u16) -> f64 {
    load.broken
        + match is_refusal(status) {
            true => load.requests - load.refused,
            false => load.refused,
        }
}

/// Returns whether wrk counts this status as an error.
pub(crate) fn is_refusal(status: u16) -> bool {
    status >= 400
}
