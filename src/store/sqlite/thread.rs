//! A thread of the store that is joined when it is dropped.

use std::io;
use std::thread::{self, JoinHandle};

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
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // A thread that panicked has stopped already, so its panic is ignored.
            let _ = thread.join();
        }
    }
}
