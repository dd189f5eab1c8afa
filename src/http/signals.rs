//! Signals: SIGTERM, as sent by `docker stop` and init systems, and SIGINT, as sent by Ctrl-C, stop the server. SIGHUP,
//! which init systems send to reload a configuration, reloads the networks file and the file of keys.
//!
//! Invariants: once the task has started, SIGHUP never ends the process, even if there is no file to read. Reloads do
//! not overlap. All signals that arrive during a reload cause one more reload.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use actix_web::rt::task::JoinHandle;
use actix_web::{rt, web};
use futures_util::future::select;
use parking_lot::RwLock;
use tokio::signal::unix::{SignalKind, signal};

use super::state::AppState;
use crate::config::ConfigError;
use crate::store::sqlite::Stop;

/// Waits for the first of the two signals. From this call on, neither ends the process by itself.
///
/// # Errors
/// If the signals cannot be handled.
pub fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        select(pin!(terminate.recv()), pin!(interrupt.recv())).await;
        tracing::info!("stopping: finishing requests in progress");
    })
}

/// Returns a flag that the first of the two signals sets, instead of ending the process.
pub fn stop_flag() -> Stop {
    let stop = Stop::default();
    let stopped = Arc::clone(&stop);
    let wait = async move {
        if let Ok(signal) = stop_signal() {
            signal.await;
            stopped.store(true, Ordering::Relaxed);
        }
    };
    thread::spawn(|| rt::System::new().block_on(wait));
    stop
}

/// Starts the task that reloads. SIGHUP is handled from this call on.
///
/// # Errors
/// If the signal cannot be handled.
pub(crate) fn start_reloading(state: Arc<AppState>) -> io::Result<JoinHandle<()>> {
    let mut hangups = signal(SignalKind::hangup())?;
    let task = async move {
        while hangups.recv().await.is_some() {
            let state = Arc::clone(&state);
            // The disk may block, and this thread accepts connections.
            let reading = web::block(move || {
                let (networks, keys) = (&state.clients.networks, &state.accounts.keys);
                if let Some(file) = &state.clients.networks_file {
                    replace("networks", networks, file.read(), |networks| networks.len());
                }
                if let Some(file) = &state.accounts.file {
                    replace("keys", keys, file.read(), |keys| keys.len());
                } else if state.clients.networks_file.is_none() {
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
    Ok(rt::spawn(task))
}

/// Replaces a value by the one that was read, and logs the result. An invalid file changes nothing.
fn replace<T>(
    name: &str,
    value: &RwLock<T>,
    read: Result<T, ConfigError>,
    len: impl Fn(&T) -> usize,
) {
    match read {
        Ok(new) => {
            let entries = len(&new);
            // The old value is freed after the lock is released.
            let old = std::mem::replace(&mut *value.write(), new);
            tracing::info!(entries, before = len(&old), "{name} reloaded");
        }
        Err(error) => tracing::error!(%error, "{name} not reloaded: the old ones stay in use"),
    }
}
