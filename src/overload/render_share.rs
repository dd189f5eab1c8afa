//! A render share: a guard that counts one page being rendered for its client and network.

use std::sync::Arc;

use super::Overload;
use crate::fairness::ClientKey;

/// One page being rendered for a client. The share is released when this is dropped.
#[derive(Debug)]
#[must_use = "the share is released when dropped"]
pub struct RenderShare {
    overload: Arc<Overload>,
    client: ClientKey,
}

impl RenderShare {
    /// Counts one more page for the client. Returns `None` if the client or its network has used up its share of pages.
    pub(super) fn try_new(overload: &Arc<Overload>, client: ClientKey) -> Option<Self> {
        let mut shares = overload.render_shares.lock();
        if shares.exceeded(client, 0, 1).is_some() {
            return None;
        }
        shares.add(client, 1);
        Some(Self {
            overload: Arc::clone(overload),
            client,
        })
    }
}

impl Drop for RenderShare {
    fn drop(&mut self) {
        self.overload.render_shares.lock().sub(self.client, 1);
        self.overload.render_share_released.notify_waiters();
    }
}
