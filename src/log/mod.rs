//! Where log lines go: standard error, for people or for machines.
//!
//! Invariants: of a panic only its place is told: its message may quote what a user wrote. What the HTTP library says
//! of single connections stays out unless asked for: a client that hangs up or sends rubbish is normal. Colours are for
//! terminals alone. A line of a request is written within 50 ms, and every other at once with all before it.

mod gathered;
mod incident;
mod text;

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;
pub(crate) use gathered::REQUESTS;
pub(crate) use incident::Incident;

use gathered::Gathered;
use text::Text;

static LINES: Gathered = Gathered::new();

/// Begins logging what passes this filter.
pub fn init(filter: &str, format: LogFormat) {
    // Put first, so that the operator's own directive for the same target wins.
    let filter = EnvFilter::new(format!("actix_http=off,actix_server=warn,{filter}"));
    LINES.serve();
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(&LINES)
        .with_target(false);
    match format {
        LogFormat::Text if std::io::stderr().is_terminal() => lines.with_ansi(true).init(),
        LogFormat::Text => lines.event_format(Text::new()).init(),
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

/// Writes what is left; before the program ends.
pub fn flush() {
    LINES.write();
}
