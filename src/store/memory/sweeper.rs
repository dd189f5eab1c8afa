//! The sweeper: one thread that frees expired pastes.
//!
//! It only frees memory: every read checks the deadline itself.
//! Invariants: it sleeps until the next deadline or its stop, holds the store's lock for one batch at most, and is joined
//! when it is dropped.
//! Why a thread and not a task: it must not share a worker with requests, and a condition variable waits for the next
//! deadline and for the stop at once.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Store;
use crate::paste::Timestamp;

/// The least time between two sweeps, unless an earlier deadline comes up. Of 20,000 pastes saved per second each has a
/// deadline of its own, and a wake-up for each would cost more than the sweep. Memory is freed that much later.
const PAUSE: Duration = Duration::from_millis(100);

/// A running sweeper. Dropping it stops and joins the thread.
#[derive(Debug)]
pub struct Sweeper {
    store: Arc<Store>,
    /// `None` once it is joined.
    thread: Option<JoinHandle<()>>,
}

impl Sweeper {
    /// Starts a thread that sweeps this store by this clock.
    ///
    /// # Errors
    /// If the operating system gives no thread.
    pub fn start(
        store: Arc<Store>,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> io::Result<Self> {
        let swept = Arc::clone(&store);
        let sweep = move || {
            while swept.wait_for_deadline(&clock, PAUSE) {
                swept.sweep(clock());
            }
        };
        let thread = thread::Builder::new()
            .name("sweeper".to_owned())
            .spawn(sweep)?;
        Ok(Self {
            store,
            thread: Some(thread),
        })
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.store.stop_sweeping();
        if let Some(thread) = self.thread.take() {
            // A sweeper that panicked has nothing left to stop.
            let _ = thread.join();
        }
    }
}
