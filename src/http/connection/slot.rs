//! Connection slots: each connection acquires one when it is accepted, and releases it when its socket is closed.
//!
//! Cost: two short locks per connection. A request takes a lock only if it changes how many bytes the library's large
//! buffers take.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::fairness::ClientKey;
use crate::http::connection::handle::ConnectionHandle;
use crate::http::connection::registry::ConnectionRegistry;
use crate::operate::Connections;

/// The slots of a server, shared by its workers.
#[derive(Clone)]
pub(crate) struct ConnectionSlots {
    clock: Clock,
    registry: Arc<Mutex<ConnectionRegistry>>,
}

/// A connection's slot. Dropping the slot releases it.
pub(crate) struct ConnectionSlot {
    handle: Arc<ConnectionHandle>,
    /// The entry in the registry; `None` if the connection was not admitted.
    entry: Option<RegistryEntry>,
}

struct RegistryEntry {
    registry: Arc<Mutex<ConnectionRegistry>>,
    peer: Option<ClientKey>,
    number: u64,
}

impl ConnectionSlots {
    /// Creates the slots for at most `max` connections.
    pub(crate) fn new(clock: Clock, max: usize) -> Self {
        Self {
            clock,
            registry: Arc::new(Mutex::new(ConnectionRegistry::new(max))),
        }
    }

    /// Returns a slot for a new connection. A connection that is not admitted is evicted at once. `peer` is `None` for
    /// a peer that may have any number of connections.
    pub(crate) fn acquire(&self, peer: Option<ClientKey>) -> ConnectionSlot {
        let handle = Arc::new(ConnectionHandle::new());
        let now = self.clock.elapsed();
        let number = self.registry.lock().admit(peer, &handle, now);
        if number.is_none() {
            handle.evict();
        }
        let entry = number.map(|number| RegistryEntry {
            registry: Arc::clone(&self.registry),
            peer,
            number,
        });
        ConnectionSlot { handle, entry }
    }

    /// Returns how many connections are open, and how many there were.
    pub(crate) fn counts(&self) -> Connections {
        self.registry.lock().counts()
    }
}

impl ConnectionSlot {
    /// Returns the handle by which the registry knows this connection.
    pub(crate) fn handle(&self) -> &Arc<ConnectionHandle> {
        &self.handle
    }

    /// Sets the bytes that the connection holds. If all connections hold too many, another one or this one is evicted.
    pub(super) fn set_buffered(&self, bytes: u64) {
        if let Some(entry) = &self.entry
            && let Some(peer) = entry.peer
        {
            let mut registry = entry.registry.lock();
            registry.set_buffered(peer, entry.number, bytes);
        }
    }
}

impl Drop for RegistryEntry {
    fn drop(&mut self) {
        self.registry.lock().remove(self.peer, self.number);
    }
}
