//! The sweeper: one thread that frees pastes past their deadline.
//!
//! What it must not know: which clock it reads; one is given. Correctness does not need it: a read decides expiry.
//! Invariants: it sleeps until the next deadline or its stop, holds the store's lock for a batch at most, and is
//! joined before its owner is gone.
//! Why a thread and not a task: it must not share a worker with requests, and a condition variable says «at the next
//! deadline, or now» in one wait.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Store;
use crate::paste::Timestamp;

/// At least this long between two sweeps, unless an earlier deadline comes up: pastes saved at twenty thousand a second
/// each have a deadline of their own, and a wake-up for each would cost more than the sweep. Memory is freed that much
/// later, nothing else.
const PAUSE: Duration = Duration::from_millis(100);

/// A running sweeper; dropped, it stops and is joined.
#[derive(Debug)]
pub struct Sweeper {
    store: Arc<Store>,
    /// Taken when joined.
    thread: Option<JoinHandle<()>>,
}

impl Sweeper {
    /// Starts sweeping this store by this clock.
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
