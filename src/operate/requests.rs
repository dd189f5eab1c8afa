//! Counters of answered requests: by method, route and status, with a histogram of their time and the bytes sent.
//!
//! Invariants: nothing that a client sends becomes a label. The series are given at the start, and the statuses are
//! those of [`STATUSES`].
//! Cost: four relaxed additions for a request. Each thread has counters of its own, because a processor waits for a
//! counter that another one has just changed. A series takes no memory until its first request.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::histogram::{Durations, Histogram};

/// The statuses that have a counter of their own, the most frequent ones first.
pub const STATUSES: [u16; 30] = [
    200, 304, 201, 404, 410, 429, 302, 303, 206, 400, 401, 403, 405, 408, 409, 411, 412, 413, 415,
    416, 422, 431, 451, 500, 501, 503, 507, 204, 301, 308,
];

/// Why saves and changes are refused.
pub const REFUSALS: [&str; 8] = [
    "invalid",
    "forbidden",
    "too_large",
    "limit",
    "blocked",
    "busy",
    "full",
    "failed",
];

/// The method and the route of a series.
pub type Labels = [&'static str; 2];

/// The number of threads that have counted a request.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The number of this thread.
    static THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed);
}

/// Counts requests. All workers share it.
pub struct RequestCounters {
    series: Box<[Series]>,
    /// Refused saves, in the order of [`REFUSALS`].
    refused: [AtomicU64; REFUSALS.len()],
}

struct Series {
    labels: Labels,
    /// The counters of each thread. Threads share them if there are more than expected.
    of_threads: Box<[OnceLock<Box<Counters>>]>,
}

/// The alignment keeps the counters of two threads apart in the caches of processors.
#[derive(Debug, Default)]
#[repr(align(64))]
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
    /// Makes counters for these series, which this many threads count, at least one.
    pub fn new(series: impl IntoIterator<Item = Labels>, threads: usize) -> Self {
        let series = series.into_iter().map(|labels| Series {
            labels,
            of_threads: (0..threads.max(1)).map(|_| OnceLock::new()).collect(),
        });
        Self {
            series: series.collect(),
            refused: Default::default(),
        }
    }

    /// Counts a save if it was answered with the status of an error.
    pub fn count_save(&self, status: u16) {
        let reason = match status {
            0..=399 => return,
            401 | 403 => 1,
            413 => 2,
            429 => 3,
            451 => 4,
            503 => 5,
            507 => 6,
            500.. => 7,
            _ => 0, // 400 to 499
        };
        self.refused[reason].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the refused saves, in the order of [`REFUSALS`].
    pub fn refused_saves(&self) -> [u64; REFUSALS.len()] {
        let counts = self.refused.each_ref();
        counts.map(|count| count.load(Ordering::Relaxed))
    }

    /// Counts a request of the series with this index, whose response has this status and a body of this many bytes.
    pub fn count(&self, series: usize, status: u16, bytes: u64, took: Duration) {
        let Some(series) = self.series.get(series) else {
            return;
        };
        let thread = THREAD.with(|thread| thread % series.of_threads.len());
        let counters = series.of_threads[thread].get_or_init(Box::default);
        counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        counters.times.count(took);
        let known = STATUSES.iter().position(|known| *known == status);
        let counter = known.map_or(&counters.other_statuses, |at| &counters.statuses[at]);
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts of every series that had a request.
    pub fn counts(&self) -> Vec<RequestCounts> {
        self.series.iter().filter_map(Series::counts).collect()
    }
}

impl Series {
    /// Returns the sums of all threads, or `None` if there was no request.
    fn counts(&self) -> Option<RequestCounts> {
        let used: Vec<_> = self.of_threads.iter().filter_map(OnceLock::get).collect();
        let sum = |counter: &dyn Fn(&Counters) -> u64| used.iter().map(|it| counter(it)).sum();
        let known = STATUSES.iter().enumerate().map(|(at, status)| {
            let count = sum(&|it| it.statuses[at].load(Ordering::Relaxed));
            (Some(*status), count)
        });
        let other = sum(&|it| it.other_statuses.load(Ordering::Relaxed));
        let statuses = known.chain([(None, other)]);
        let times = used.iter().map(|it| it.times.durations());
        Some(RequestCounts {
            labels: self.labels,
            times: times.reduce(Durations::plus)?,
            bytes: sum(&|it| it.bytes.load(Ordering::Relaxed)),
            statuses: statuses.filter(|(_, count)| *count > 0).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_counted_under_its_series_and_status() {
        let counters = RequestCounters::new([["GET", "/"], ["PUT", "/"], ["GET", "-"]], 2);
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

    #[test]
    fn a_refused_save_is_counted_under_one_reason() {
        let counters = RequestCounters::new([["POST", "/"]], 1);
        for status in STATUSES {
            counters.count_save(status);
        }
        let refused = STATUSES.iter().filter(|status| **status >= 400).count();
        assert_eq!(counters.refused_saves(), [12, 2, 1, 1, 1, 1, 1, 2]);
        assert_eq!(counters.refused_saves().iter().sum::<u64>(), refused as u64);
    }

    #[test]
    fn what_several_threads_count_is_added_up() {
        for threads in [1, 2, 8] {
            let counters = RequestCounters::new([["GET", "/"]], threads);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| counters.count(0, 200, 5, Duration::from_millis(2)));
                }
            });
            let counts = counters.counts();
            assert_eq!(counts[0].statuses, [(Some(200), 4)]);
            let total = counts[0].times.total;
            assert_eq!((total, counts[0].bytes), (Duration::from_millis(8), 20));
        }
    }
}
