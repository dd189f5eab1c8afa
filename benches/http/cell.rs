//! A cell of the table: one kind of load at one number of connections, on both servers in turn.

use crate::load::{Load, Server};
use crate::timing::median;

/// How often and for how long wrk runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThroughputMonitor {
    rounds: usize,
    seconds: u64,
}

impl ThroughputMonitor {
    pub(crate) const USUAL: Self = Self {
        rounds: 3,
        seconds: 2,
    };
    pub(crate) const QUICK: Self = Self {
        rounds: 1,
        seconds: 1,
    };
}

/// What was measured: medians of rounds, errors of all of them.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Microseconds of processor time a request.
    pub(crate) ours: f64,
    /// The same of the bare handler.
    pub(crate) bare: f64,
    /// Our answers a second.
    pub(crate) rate: f64,
    /// Of our answers, in milliseconds.
    pub(crate) p50: f64,
    /// Of our answers, in milliseconds.
    pub(crate) p99: f64,
    /// Of both servers: connections that failed, answers too late, answers on the other side of status 400 than those
    /// that the row is about.
    pub(crate) errors: f64,
}

impl Cell {
    pub(crate) fn measure(
        pace: ThroughputMonitor,
        connections: usize,
        script: &str,
        ours: &Server,
        bare: &Server,
        status: u16,
    ) -> Self {
        let args = [format!("-c{connections}"), format!("-d{}s", pace.seconds)];
        let rounds: Vec<[Load; 2]> = (0..pace.rounds)
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

/// wrk tells of a status no more than whether it is from 400 on. In a row about such answers all others are errors; that
/// a 404 is no 429 is seen only by who asks before and after.
fn errors(load: &Load, status: u16) -> f64 {
    load.broken
        + match is_refusal(status) {
            true => load.requests - load.refused,
            false => load.refused,
        }
}

/// The side of a status that wrk tells.
pub(crate) fn is_refusal(status: u16) -> bool {
    status >= 400
}
