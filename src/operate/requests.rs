//! Counters of answered requests: by method, route and status, with a histogram of their time and the bytes sent.
//!
//! Invariants: nothing that a client sends becomes a label. The series are given at the start, and the statuses are those
//! of [`STATUSES`]. Cost: four relaxed additions for a request. A series takes no memory until its first request.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::histogram::{Durations, Histogram};

/// The statuses that have a counter of their own, the most frequent ones first.
pub const STATUSES: [u16; 30] = [
    200, 304, 201, 404, 410, 429, 302, 303, 206, 400, 401, 403, 405, 408, 409, 411, 412, 413, 415,
    416, 422, 431, 451, 500, 501, 503, 507, 204, 301, 308,
];

/// The method and the route of a series.
pub type Labels = [&'static str; 2];

/// Counts requests. All workers share it.
#[derive(Debug)]
pub struct RequestCounters {
    series: Box<[Series]>,
}

#[derive(Debug)]
struct Series {
    labels: Labels,
    counters: OnceLock<Box<Counters>>,
}

#[derive(Debug, Default)]
struct Counters {
    bytes: AtomicU64,
    times: Histogram,
    statuses: [AtomicU64; STATUSES.len()],
    other_statuses: AtomicU64,
}

/// The counts of one series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestCounts {
    /// The method and the route.
    pub labels: Labels,
    /// How long it took until the responses were ready.
    pub times: Durations,
    /// The bytes of the bodies of the responses.
    pub bytes: u64,
    /// The number of responses with each status. `None` is any status without a counter of its own.
    pub statuses: Vec<(Option<u16>, u64)>,
}

impl RequestCounters {
    /// Makes counters for these series.
    #[must_use]
    pub fn new(series: impl IntoIterator<Item = Labels>) -> Self {
        let series = series.into_iter().map(|labels| Series {
            labels,
            counters: OnceLock::new(),
        });
        Self {
            series: series.collect(),
        }
    }

    /// Counts a request of the series with this index, whose response has this status and a body of this many bytes.
    pub fn count(&self, series: usize, status: u16, bytes: u64, took: Duration) {
        let Some(series) = self.series.get(series) else {
            return;
        };
        let counters = series.counters.get_or_init(Box::default);
        counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        counters.times.count(took);
        let known = STATUSES.iter().position(|known| *known == status);
        let counter = known.map_or(&counters.other_statuses, |at| &counters.statuses[at]);
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts of every series that had a request.
    #[must_use]
    pub fn counts(&self) -> Vec<RequestCounts> {
        let used = self.series.iter().filter_map(|series| {
            let counters = series.counters.get()?;
            Some(counters.counts(series.labels))
        });
        used.collect()
    }
}

impl Counters {
    fn counts(&self, labels: Labels) -> RequestCounts {
        let known = STATUSES.iter().map(|status| Some(*status));
        let known = known.zip(&self.statuses);
        let all = known.chain([(None, &self.other_statuses)]);
        let counts = all.map(|(status, counter)| (status, counter.load(Ordering::Relaxed)));
        RequestCounts {
            labels,
            times: self.times.durations(),
            bytes: self.bytes.load(Ordering::Relaxed),
            statuses: counts.filter(|(_, count)| *count > 0).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_counted_under_its_series_and_status() {
        let counters = RequestCounters::new([["GET", "/"], ["PUT", "/"], ["GET", "-"]]);
        for (series, status) in [(0, 200), (0, 200), (0, 404), (2, 200), (2, 299), (3, 200)] {
            counters.count(series, status, 10, Duration::from_millis(1));
        }
        let counts = counters.counts();
        let found = counts.iter().map(|it| (it.labels, it.statuses.clone()));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                (["GET", "/"], vec![(Some(200), 2), (Some(404), 1)]),
                (["GET", "-"], vec![(Some(200), 1), (None, 1)]),
            ]
        );
        let total = counts[0].times.total;
        assert_eq!((total, counts[0].bytes), (Duration::from_millis(3), 30));
    }
}
