//! Where log lines go: standard error, for people or for machines.
//!
//! Invariants: what the HTTP library says of single connections stays out unless asked for: a client that hangs up
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
}
