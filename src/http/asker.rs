//! Whoever asks: the client of one request, and the service it asks.
//!
//! What it must not know: what is asked for.

use super::service::Service;
use super::who::Who;

/// The client of one request.
pub(crate) struct Asker<'a> {
    pub(crate) service: &'a Service,
    pub(crate) who: Who,
}
