//! Stops the server at SIGTERM, as sent by `docker stop` and init systems, or at SIGINT, as sent by Ctrl-C.

use std::future::Future;
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Waits for the first of the two signals. From this call on, neither ends the process by itself.
///
/// # Errors
/// If the signals cannot be handled.
pub fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        std::future::poll_fn(|context| {
            let signalled =
                terminate.poll_recv(context).is_ready() | interrupt.poll_recv(context).is_ready();
            if signalled {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        tracing::info!("stopping: finishing requests in progress");
    })
}
