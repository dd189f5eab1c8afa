//! Where log lines go: standard error, for people or for machines.
//!
//! Invariants: of a panic only its place is told: its message may quote what a user wrote. What the HTTP library says of single connections stays out unless asked for: a client that hangs up
//! or sends rubbish is normal. Colours are for terminals alone.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Begins logging what passes this filter.
pub fn init(filter: &str, format: LogFormat) {
    // Put first, so that the operator's own directive for the same target wins.
    let filter = EnvFilter::new(format!("actix_http=off,actix_server=warn,{filter}"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(
            place,
            "a panic, which is a fault of tidebin: please report its place"
        );
    }));
}
