//! Reloads the networks file and the file of keys at SIGHUP, the signal that init systems send to reload a
//! configuration.
//!
//! Invariants: once the task has started, SIGHUP never ends the process, even if there is no file to read. Reloads do
//! not overlap. All signals that arrive during a reload cause one more reload.

use std::io;
use std::sync::Arc;

use actix_web::rt::task::JoinHandle;
use actix_web::{rt, web};
use tokio::signal::unix::{SignalKind, signal};

use super::state::AppState;

/// The task that waits for the signal. Dropping this ends it.
pub(crate) struct Reloader(JoinHandle<()>);

impl Reloader {
    /// Starts the task. SIGHUP is handled from this call on.
    ///
    /// # Errors
    /// If the signal cannot be handled.
    pub(crate) fn start(state: Arc<AppState>) -> io::Result<Self> {
        let mut hangups = signal(SignalKind::hangup())?;
        let task = async move {
            while hangups.recv().await.is_some() {
                let state = Arc::clone(&state);
                // The disk may block, and this thread accepts connections.
                let reading = web::block(move || {
                    let files = [state.clients.reload_networks(), state.accounts.reload()];
                    if files == [false; 2] {
                        tracing::info!(
                            "nothing to reload: neither TIDEBIN_NETWORKS nor TIDEBIN_KEYS names a file"
                        );
                    }
                })
                .await;
                if let Err(error) = reading {
                    tracing::error!(%error, "nothing reloaded: the old networks and keys stay in use");
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
