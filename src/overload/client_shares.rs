//! The share that each client and network may have of a resource that is used in whole units, such as pages being
//! rendered.
//!
//! Invariants: a client may use a quarter of all units, and a network half. Each may always use one.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::fairness::{ClientKey, FairShares};

/// The shares of all clients.
#[derive(Debug)]
pub struct ClientShares {
    shares: Mutex<FairShares>,
    /// Wakes those who wait for a share when one is released.
    released: Notify,
}

/// One unit in use by a client. It is released when this is dropped.
#[derive(Debug)]
#[must_use = "the share is released when dropped"]
pub struct ClientShare {
    shares: Arc<ClientShares>,
    client: ClientKey,
}

impl ClientShares {
    /// Creates the shares of this many units.
    pub(super) fn of(units: usize) -> Arc<Self> {
        let units = units as u64;
        let shares = FairShares::new((units / 4).max(1), (units / 2).max(1));
        Arc::new(Self {
            shares: Mutex::new(shares),
            released: Notify::new(),
        })
    }

    /// Counts one more unit for the client. Returns `None` if the client or its network has used up its share.
    #[must_use]
    pub fn try_take(self: &Arc<Self>, client: ClientKey) -> Option<ClientShare> {
        let mut shares = self.shares.lock();
        if shares.exceeded(client, 0, 1).is_some() {
            return None;
        }
        shares.add(client, 1);
        Some(ClientShare {
            shares: Arc::clone(self),
            client,
        })
    }

    /// Completes when any client releases a share after this call.
    pub fn released(&self) -> impl Future<Output = ()> {
        self.released.notified()
    }
}

impl Drop for ClientShare {
    fn drop(&mut self) {
        self.shares.shares.lock().sub(self.client, 1);
        self.shares.released.notify_waiters();
    }
}
