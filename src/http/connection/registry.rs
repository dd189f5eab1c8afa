//! The registry of open connections: it limits each peer and network, and evicts a connection to admit another. Each
//! connection acquires a slot when it is accepted, and releases it when its socket is closed.
//!
//! Invariants:
//! - One peer (an IPv4 address or an IPv6 /64) has at most 512 connections. One network (an IPv4 /24 or an IPv6 /48)
//!   has at most a third of all.
//! - When all connections are in use, a new connection evicts another one. This is the oldest waiting connection of the
//!   largest network that has one. If none waits, it is the oldest connection whose peer has stopped reading.
//! - A new connection is refused only while all connections are busy with requests.
//! - A connection without a key, such as a trusted proxy's, has no limit of its own and is never evicted.
//! - A connection counts until its socket is closed. Evicted connections do not prevent a new one from being admitted,
//!   as long as at most [`ACCEPT_SLACK`] are not closed yet.
//! - The large buffers of connections with a key have at most [`MAX_BUFFERED`] bytes together. If they have more, idle
//!   connections make room, those of the heaviest networks first. If none is idle, the heaviest client of the heaviest
//!   network loses the connection with the largest buffers.
//!
//! Cost: a few tree entries and two short locks per connection. The search for a connection to evict skips busy
//! connections. A request takes the lock only if it changes how many bytes the library's large buffers take.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::fairness::{ClientKey, FairShares};
use crate::http::connection::file_limit::ACCEPT_SLACK;
use crate::http::connection::handle::{ConnectionHandle, Evictability};
use crate::operate::Connections;

/// Maximum number of connections that one peer may have at once.
pub(crate) const MAX_PER_PEER: u64 = 512;

/// One network may have at most all connections divided by this number.
const NETWORK_FRACTION: u64 = 3;

/// Maximum bytes of the buffers that connections have in addition to the small ones of every connection. A slow reader
/// of a large response has 120 KiB, so there is room for 400.
const MAX_BUFFERED: u64 = 48 << 20;

/// All open connections of the server.
struct ConnectionRegistry {
    /// How many connections are open, and how many there were. The open sockets of evicted connections and of
    /// connections without a key are included, but do not count towards the maximum. The number of admitted connections
    /// is that of the newest one.
    counts: Connections,
    /// The number of open sockets of each peer and network.
    sockets: FairShares,
    /// The number of connections of each peer and network that were not evicted.
    live: FairShares,
    /// The connections that `live` counts, by network and number: the oldest of each network first.
    handles: BTreeMap<(u64, u64), Admitted>,
    /// The bytes that the connections of each peer and network hold.
    buffered: FairShares,
    /// True once the server stops.
    is_stopping: bool,
}

/// A connection that was not evicted.
struct Admitted {
    peer: ClientKey,
    handle: Arc<ConnectionHandle>,
    buffered: u64,
}

impl ConnectionRegistry {
    /// Creates an empty registry for at most `max` connections.
    fn new(max: usize) -> Self {
        let max = max as u64;
        let counts = Connections {
            max,
            ..Connections::default()
        };
        Self {
            counts,
            sockets: FairShares::new(MAX_PER_PEER, (max / NETWORK_FRACTION).max(1)),
            live: FairShares::unlimited(),
            handles: BTreeMap::new(),
            buffered: FairShares::unlimited(),
            is_stopping: false,
        }
    }

    /// Adds a connection and returns its number. Returns `None` if the connection is not admitted. `peer` is `None` for
    /// a peer that may have any number of connections.
    fn admit(
        &mut self,
        peer: Option<ClientKey>,
        handle: &Arc<ConnectionHandle>,
        now: Duration,
    ) -> Option<u64> {
        let is_over_share = peer.is_some_and(|peer| self.sockets.exceeded(peer, 0, 1).is_some());
        if is_over_share || !self.has_room(now) {
            self.counts.refused += 1;
            return None;
        }
        self.counts.open += 1;
        self.counts.admitted += 1;
        let number = self.counts.admitted;
        if let Some(peer) = peer {
            self.sockets.add(peer, 1);
            self.live.add(peer, 1);
            let key = (peer.network, number);
            let handle = Arc::clone(handle);
            let admitted = Admitted {
                peer,
                handle,
                buffered: 0,
            };
            self.handles.insert(key, admitted);
        }
        Some(number)
    }

    /// Returns whether one more connection may be open. Evicts another one if all are in use.
    fn has_room(&mut self, now: Duration) -> bool {
        self.counts.open - self.evicted() < self.counts.max
            || self.evicted() < ACCEPT_SLACK as u64 && self.evict_one(now).is_some()
    }

    /// Removes a connection whose socket is closed.
    fn remove(&mut self, peer: Option<ClientKey>, number: u64) {
        self.counts.open -= 1;
        if let Some(peer) = peer {
            self.sockets.sub(peer, 1);
            self.forget(peer, number);
        }
    }

    /// Sets the bytes that a connection holds. Evicts connections while all of them hold more than they may.
    fn set_buffered(&mut self, peer: ClientKey, number: u64, bytes: u64) {
        let Some(connection) = self.handles.get_mut(&(peer.network, number)) else {
            return;
        };
        let before = std::mem::replace(&mut connection.buffered, bytes);
        self.buffered.sub(peer, before);
        self.buffered.add(peer, bytes);
        while self.buffered.total() > MAX_BUFFERED {
            let Some((peer, number)) = self.evict_heaviest() else {
                return;
            };
            self.forget(peer, number);
            self.counts.evicted += 1;
        }
    }

    /// Evicts the connection that makes room for the buffers of others.
    fn evict_heaviest(&self) -> Option<(ClientKey, u64)> {
        let networks = self.buffered.networks();
        // Whether a connection waits does not depend on the time.
        let evict = |it: &Admitted| it.handle.evict_if(Evictability::Waiting, Duration::ZERO);
        let idle = networks
            .flat_map(|(network, _)| self.of_network(network))
            .find(|(_, connection)| connection.buffered > 0 && evict(connection));
        if let Some((number, connection)) = idle {
            return Some((connection.peer, number));
        }
        let (network, _) = self.buffered.networks().next()?;
        let (client, _) = self.buffered.clients(network).next()?;
        self.of_network(network)
            .filter(|(_, connection)| connection.peer.client == client)
            .max_by_key(|(_, connection)| connection.buffered)
            .inspect(|(_, connection)| connection.handle.evict())
            .map(|(number, connection)| (connection.peer, number))
    }

    fn of_network(&self, network: u64) -> impl Iterator<Item = (u64, &Admitted)> {
        let connections = self.handles.range((network, 0)..=(network, u64::MAX));
        connections.map(|(&(_, number), connection)| (number, connection))
    }

    /// Removes a connection that is closed or evicted from all sums but that of the sockets.
    fn forget(&mut self, peer: ClientKey, number: u64) -> Option<Admitted> {
        let connection = self.handles.remove(&(peer.network, number))?;
        self.live.sub(peer, 1);
        self.buffered.sub(peer, connection.buffered);
        Some(connection)
    }

    /// Returns the number of evicted connections that are not closed yet.
    fn evicted(&self) -> u64 {
        self.sockets.total() - self.live.total()
    }

    /// Evicts the oldest waiting connection in the largest network that has one, or else the oldest stalled one.
    /// Returns `None` if all are busy.
    fn evict_one(&mut self, now: Duration) -> Option<()> {
        let evictabilities = [Evictability::Waiting, Evictability::Stalled];
        let (number, victim) = evictabilities.into_iter().find_map(|evictability| {
            let networks = self.live.networks();
            networks
                .flat_map(|(network, _)| self.of_network(network))
                .find(|(_, connection)| connection.handle.evict_if(evictability, now))
        })?;
        self.forget(victim.peer, number)?;
        self.counts.evicted += 1;
        Some(())
    }
}

/// The slots of a server, shared by its workers.
#[derive(Clone)]
pub(crate) struct ConnectionSlots {
    clock: Clock,
    registry: Arc<Mutex<ConnectionRegistry>>,
}

/// A connection's slot. Dropping the slot releases it.
pub(crate) struct ConnectionSlot {
    /// The handle by which the registry knows this connection.
    pub(crate) handle: Arc<ConnectionHandle>,
    registry: Arc<Mutex<ConnectionRegistry>>,
    peer: Option<ClientKey>,
    /// The number in the registry; `None` if the connection was not admitted.
    number: Option<u64>,
}

impl ConnectionSlots {
    /// Creates the slots for at most `max` connections.
    pub(crate) fn new(clock: Clock, max: usize) -> Self {
        let registry = Arc::new(Mutex::new(ConnectionRegistry::new(max)));
        Self { clock, registry }
    }

    /// Returns a slot for a new connection. A connection that is not admitted is evicted at once. `peer` is `None` for
    /// a peer that may have any number of connections.
    pub(crate) fn acquire(&self, peer: Option<ClientKey>) -> ConnectionSlot {
        let handle = Arc::<ConnectionHandle>::default();
        let now = self.clock.elapsed();
        let number = self.registry.lock().admit(peer, &handle, now);
        if number.is_none() {
            handle.evict();
        }
        ConnectionSlot {
            handle,
            registry: Arc::clone(&self.registry),
            peer,
            number,
        }
    }

    /// Ends connections that only discard what they receive, from now on.
    pub(crate) fn stop(&self) {
        self.registry.lock().is_stopping = true;
    }

    /// Returns how many connections are open, and how many there were.
    pub(crate) fn counts(&self) -> Connections {
        self.registry.lock().counts
    }
}

impl ConnectionSlot {
    /// Returns whether the server stops.
    pub(super) fn is_stopping(&self) -> bool {
        self.registry.lock().is_stopping
    }

    /// Sets the bytes that the connection holds. If all connections hold too many, another one or this one is evicted.
    pub(super) fn set_buffered(&self, bytes: u64) {
        if let (Some(peer), Some(number)) = (self.peer, self.number) {
            self.registry.lock().set_buffered(peer, number, bytes);
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.registry.lock().remove(self.peer, number);
        }
    }
}

#[cfg(test)]
mod tests;
