//! The log: lines on standard error, for people or for machines.
//!
//! This module must not know the events that are logged.
//! Invariants:
//! - A panic is logged with its location but without its message, which may quote a user's text.
//! - Lines of the HTTP library about single connections are filtered out by default: a client that hangs up or sends
//!   malformed requests is normal.
//! - Only a terminal gets colours.
//! - A line of a request is written within 50 ms. Any other line is written at once, after all lines before it.

mod buffered_stderr;
mod incident;
mod text;

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;
pub(crate) use buffered_stderr::REQUESTS;
pub(crate) use incident::Incident;

use buffered_stderr::BufferedStderr;
use text::Text;

static STDERR: BufferedStderr = BufferedStderr::new();

/// Starts logging the lines that pass the filter.
///
/// # Errors
/// Returns an error if the system cannot start the thread that writes the log.
pub fn init(filter: &str, format: LogFormat) -> io::Result<()> {
    // The default is placed first, so that the operator's own directive for the same target wins.
    let filter = EnvFilter::new(format!("actix_http=off,actix_server=warn,{filter}"));
    STDERR.start_flushing()?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(&STDERR)
        .with_target(false);
    match format {
        LogFormat::Text if io::stderr().is_terminal() => lines.with_ansi(true).init(),
        LogFormat::Text => lines.event_format(Text::new()).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(
            place,
            "panic: this is a bug in tidebin, please report its place"
        );
    }));
    Ok(())
}

/// Writes the lines that are still buffered. The program must call this before it ends.
pub fn flush() {
    STDERR.flush();
}
