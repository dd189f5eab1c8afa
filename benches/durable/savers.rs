//! Savers: tasks on one thread, each of which saves again once its save was acknowledged.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use crate::timing::Latencies;
use crate::usage::Usage;

/// The measurements of many saves.
pub(crate) struct Saved {
    pub(crate) per_second: f64,
    latencies: Latencies,
    /// Microseconds of processor time for a save.
    pub(crate) processor: f64,
    /// Bytes written for a save.
    pub(crate) written: f64,
}

/// When savers end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Passed(Duration),
    Saved(u64),
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// Runs this number of savers. The n-th save of all is `save(first + n)`.
pub(crate) fn run(
    savers: u64,
    first: u64,
    until: Until,
    save: impl AsyncFn(u64) + 'static,
) -> Saved {
    let save = Rc::new(save);
    let next = Rc::new(Cell::new(0));
    let took = Rc::new(RefCell::new(Vec::new()));
    let tasks = LocalSet::new();
    let used = Usage::now();
    let start = Instant::now();
    let is_over = move |saved: u64| match until {
        Until::Passed(time) => start.elapsed() >= time,
        Until::Saved(count) => saved >= count,
    };
    let spawn = |_| {
        let (save, next, took) = (Rc::clone(&save), Rc::clone(&next), Rc::clone(&took));
        tasks.spawn_local(async move {
            while !is_over(next.get()) {
                let nth = next.replace(next.get() + 1);
                let start = Instant::now();
                save(first + nth).await;
                took.borrow_mut().push(start.elapsed());
            }
        })
    };
    let spawned: Vec<_> = (0..savers).map(spawn).collect();
    runtime().block_on(tasks.run_until(async {
        for task in spawned {
            task.await.unwrap();
        }
    }));
    let (seconds, processor, written) = used.since();
    let latencies = Latencies::of(took.take());
    let count = latencies.count() as f64;
    Saved {
        per_second: count / seconds,
        processor: processor / count,
        written: written / count,
        latencies,
    }
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>8.0} saves/s, p50 {:>6.2} ms, p99 {:>6.2} ms, {:>5.1} µs of processor time and {:>5.1} KB written each",
            self.per_second,
            self.latencies.exceeded_by_one_in(2.0),
            self.latencies.exceeded_by_one_in(100.0),
            self.processor,
            self.written / 1e3
        )
    }
}
