//! When to read again what the operator may have changed: at SIGHUP, which init systems send for it.
//!
//! Invariants: from the start of this task on SIGHUP does not end the process, whatever there is to read; readings
//! follow each other, and signals that come during one are one more.

use std::io;
use std::sync::Arc;

use actix_web::rt::task::JoinHandle;
use actix_web::{rt, web};
use tokio::signal::unix::{SignalKind, signal};

use super::state::AppState;

/// A task that waits for the signal; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Reloader(JoinHandle<()>);

impl Reloader {
    /// Waits for the signal from now on.
    ///
    /// # Errors
    /// If it cannot be listened to.
    pub(crate) fn start(state: Arc<AppState>) -> io::Result<Self> {
        let mut hangups = signal(SignalKind::hangup())?;
        let task = async move {
            while hangups.recv().await.is_some() {
                let state = Arc::clone(&state);
                // On a thread that may wait for the disk: this one accepts connections.
                let reading = web::block(move || state.clients.reload_networks()).await;
                if let Err(error) = reading {
                    tracing::error!(%error, "the networks were not read again");
                }
            }
        };
        Ok(Self(rt::spawn(task)))
    }
}

impl Drop for Reloader {
    fn drop(&mut self) {
        self.0.abort();
    }
}
