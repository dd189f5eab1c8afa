//! Whoever asks: the client of one request, and the service it asks.
//!
//! What it must not know: what is asked for.

use super::service::Service;
use crate::limit::ClientKey;
use crate::store::Holder;

/// The client of one request.
pub(crate) struct Asker<'a> {
    pub(crate) service: &'a Service,
    pub(crate) client: ClientKey,
}

impl Asker<'_> {
    /// As the store knows it.
    pub(crate) fn holder(&self) -> Holder {
        let ClientKey { network, client } = self.client;
        Holder { network, client }
    }
}
