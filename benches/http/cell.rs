//! A cell of the table: one kind of load at one number of connections, on both servers in turn.

use crate::load::{Load, Server};
use crate::timing::median;

/// The number of rounds. A round is one run of wrk of a second for each server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds(usize);

impl Rounds {
    pub(crate) const USUAL: Self = Self(7);
    pub(crate) const QUICK: Self = Self(1);
}

/// The results: medians over the rounds, and the errors of all rounds.
#[derive(Debug)]
pub(crate) struct Cell {
    /// The processor time of tidebin in microseconds per request.
    pub(crate) ours: f64,
    /// The processor time of the bare handler in microseconds per request.
    pub(crate) bare: f64,
    /// The first figure divided by the second one of the same round. Other load of the machine affects both.
    pub(crate) ratio: f64,
    /// The smallest and the largest ratio of a round.
    pub(crate) spread: [f64; 2],
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
        Rounds(rounds): Rounds,
        connections: usize,
        script: &str,
        ours: &Server,
        bare: &Server,
        status: u16,
    ) -> Self {
        let args = [format!("-c{connections}"), "-d1s".to_owned()];
        let rounds: Vec<[Load; 2]> = (0..rounds)
            .map(|_| [ours, bare].map(|server| server.load(script, &args)))
            .collect();
        let middle =
            |figure: fn(&[Load; 2]) -> f64| median(rounds.iter().map(figure).collect::<Vec<_>>());
        let ratios = rounds.iter().map(ratio);
        Self {
            ours: middle(|[ours, _]| cost(ours)),
            bare: middle(|[_, bare]| cost(bare)),
            ratio: middle(ratio),
            spread: [
                ratios.clone().fold(f64::INFINITY, f64::min),
                ratios.fold(0.0, f64::max),
            ],
            rate: middle(|[ours, _]| ours.requests / ours.seconds),
            p50: middle(|[ours, _]| ours.p50),
            p99: middle(|[ours, _]| ours.p99),
            errors: rounds
                .iter()
                .flatten()
                .map(|load| errors(load, status))
                .sum(),
        }
    }
}

fn cost(load: &Load) -> f64 {
    load.processor / load.requests
}

fn ratio([ours, bare]: &[Load; 2]) -> f64 {
    cost(ours) / cost(bare)
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
