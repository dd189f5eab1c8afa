//! A thread of the store that is joined when it is dropped.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crate::store::sqlite::shared::Shared;

/// A running thread. The owner tells it to end before it drops it.
#[derive(Debug)]
pub(super) struct Thread(Option<JoinHandle<()>>);

impl Thread {
    /// Starts a thread.
    ///
    /// # Errors
    /// Fails if the operating system cannot start a thread.
    pub(super) fn start(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run)?;
        Ok(Self(Some(thread)))
    }

    /// Starts a thread without which the store cannot work. If it panics, the store has failed.
    ///
    /// # Errors
    /// Fails if the operating system cannot start a thread.
    pub(super) fn start_vital(
        name: &str,
        shared: &Arc<Shared>,
        run: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::clone(shared);
        Self::start(name, move || {
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                shared.fail(&"a thread of the store panicked");
            }
        })
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // A thread that panicked has stopped already, so its panic is ignored.
            let _ = thread.join();
        }
    }
}
