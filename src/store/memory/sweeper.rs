//! The sweeper is one thread that frees expired pastes.
//!
//! It only frees memory. Every read checks the deadline itself, so an expired paste is never returned.
//! Invariants: the thread sleeps until the next sweep is due, at most once per second, or until it should stop. It
//! holds the store's lock for at most one batch at a time. Dropping the [`Sweeper`] joins the thread.
//! Why a thread and not an async task: a task would share a worker thread with requests. A condition variable also
//! waits for the next deadline and for the stop together.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::Store;
use crate::paste::Timestamp;

/// A running sweeper. Dropping it stops the thread and joins it.
pub struct Sweeper {
    store: Arc<Store>,
    /// The thread. `None` means that it was joined.
    thread: Option<JoinHandle<()>>,
}

impl Sweeper {
    /// Starts a thread that removes expired pastes from this store. It reads the time from `clock`.
    ///
    /// # Errors
    /// Fails if the operating system cannot start a thread.
    pub fn start(
        store: Arc<Store>,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> io::Result<Self> {
        let swept = Arc::clone(&store);
        let sweep = move || {
            while swept.wait_for_deadline(&clock) {
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
            // A thread that panicked has stopped already, so its panic is ignored.
            let _ = thread.join();
        }
    }
}
