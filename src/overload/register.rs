//! The register of what is in flight: one entry for each connection, with its slot, its large buffers, and the bytes
//! that its current message holds or waits for.
//!
//! A slot and buffers count for the peer, the bytes of a message for its client. Behind a proxy all count for the client
//! while it has a message. What has a limit is a row of `docs/limits.md`: connections (512 of a peer, a third of all of a network), their large buffers
//! (48 MiB), bytes of uploads and large responses (a quarter, a half), and paused uploads (4, and half of 128). Uploads
//! and large responses have no limit of their own number, because each has a connection. Behind a proxy, each counts as
//! a connection of its client.
//!
//! Invariants:
//! - An evicted connection counts as open until its socket is closed, but no longer for its peer.
//!
//! Cost: a few tree operations for each connection, and for each upload and large response. A chunk takes no lock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::connection::{ConnectionHandle, Phase};
use super::{Load, Priority};
use crate::fairness::{ClientKey, FairShares};

/// Maximum number of connections that one peer may have at once.
pub const MAX_PER_PEER: u64 = 512;

/// One network may have at most all connections divided by this number.
const NETWORK_FRACTION: u64 = 3;

/// Maximum number of sockets in addition to the admitted connections. Some are accepted and have no slot yet. Others
/// are evicted and not closed yet.
pub const ACCEPT_SLACK: usize = 128;

/// Maximum bytes of the buffers that connections have in addition to the small ones of every connection. A slow reader
/// of a large response has 120 KiB, so there is room for 400.
pub(super) const MAX_BUFFERED: u64 = 48 << 20;

/// Maximum number of paused uploads and waits for an event at once.
pub(super) const PAUSES: u64 = 128;

/// Maximum number of paused uploads and waits of one client at once.
pub const MAX_PAUSES_PER_CLIENT: u64 = 4;

/// The ceiling of each priority, in fifths of the budget.
const CEILINGS: [u64; 3] = [3, 4, 5];

/// How many connections are open, and how many there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Connections {
    /// The number of open connections.
    pub open: u64,
    /// The maximum number of open connections.
    pub max: u64,
    /// The number of connections that were admitted.
    pub admitted: u64,
    /// The number of connections that were closed at once, because there were too many.
    pub refused: u64,
    /// The number of connections that were closed to admit another.
    pub evicted: u64,
}

/// All connections in progress.
pub(super) struct Register {
    pub(super) counts: Connections,
    /// The evicted connections whose sockets are open.
    closing: u64,
    pub(super) entries: BTreeMap<u64, Entry>,
    /// The connections that `sockets` counts, by the network of the peer and their number: the oldest first.
    by_network: BTreeSet<(u64, u64)>,
    /// The connections whose messages `bytes` counts, by client.
    pub(super) by_client: BTreeSet<(u64, u64)>,
    /// What peers and clients use that is not evicted or revoked. Bytes that a message waits for count too.
    pub(super) sockets: FairShares,
    pub(super) buffers: FairShares,
    pub(super) bytes: FairShares,
    pub(super) pauses: FairShares,
    pub(super) ceilings: [u64; 3],
    /// The bytes that messages of each priority hold.
    pub(super) held: [u64; 3],
    /// Those among them that were revoked.
    pub(super) revoked: [u64; 3],
    pub(super) waiting: BTreeMap<Place, Waiter>,
    pub(super) last_turn: u64,
    /// The connections to be woken when the lock is released.
    pub(super) woken: Vec<Arc<ConnectionHandle>>,
    pub(super) cancelled: u64,
    /// The bytes moved by messages that have ended.
    pub(super) moved: u64,
}

/// A place among those who wait: the weights of the network and the client, then who came first.
pub(super) type Place = (u64, u64, u64);

/// A message that waits for bytes.
#[derive(Clone, Copy)]
pub(super) struct Waiter {
    pub(super) number: u64,
    pub(super) priority: Priority,
    pub(super) wanted: u64,
}

/// An upload or a large response.
pub(super) struct Message {
    pub(super) client: ClientKey,
    pub(super) priority: Priority,
    pub(super) started: Duration,
    pub(super) held: u64,
    /// `Some` while it waits.
    pub(super) place: Option<Place>,
    pub(super) may_pause: bool,
    /// What a message waits for that moves nothing until then.
    pub(super) awaited: Option<u64>,
    /// True if it cannot be repeated. Then it makes no room before it moves bytes.
    pub(super) is_last_read: bool,
    /// True if it counts as a connection of its client, because the peer is a proxy.
    pub(super) is_proxied: bool,
    pub(super) is_revoked: bool,
}

/// A connection.
pub(super) struct Entry {
    pub(super) handle: Arc<ConnectionHandle>,
    /// `None` for a peer that has no limit, and once the connection was evicted.
    pub(super) peer: Option<ClientKey>,
    pub(super) buffered: u64,
    pub(super) message: Option<Message>,
}

impl Register {
    /// Creates a register of messages that may hold this many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            counts: Connections::default(),
            closing: 0,
            entries: BTreeMap::new(),
            by_network: BTreeSet::new(),
            by_client: BTreeSet::new(),
            sockets: FairShares::unlimited(),
            buffers: FairShares::unlimited(),
            bytes: FairShares::new(bytes / 4, bytes / 2),
            pauses: FairShares::new(MAX_PAUSES_PER_CLIENT, PAUSES / 2),
            ceilings: CEILINGS.map(|fifths| bytes / 5 * fifths + bytes % 5 * fifths / 5),
            held: [0; 3],
            revoked: [0; 3],
            waiting: BTreeMap::new(),
            last_turn: 0,
            woken: Vec::new(),
            cancelled: 0,
            moved: 0,
        }
    }

    /// Sets the number of connections that may be open. To be called before the first one.
    pub(super) fn limit_connections(&mut self, max: u64) {
        self.counts.max = max;
        self.sockets = FairShares::new(MAX_PER_PEER, (max / NETWORK_FRACTION).max(1));
    }

    /// Adds a connection, or returns one that is evicted.
    pub(super) fn connect(
        &mut self,
        now: Duration,
        peer: Option<ClientKey>,
    ) -> Arc<ConnectionHandle> {
        let is_over_share = peer.is_some_and(|peer| self.sockets.exceeded(peer, 0, 1).is_some());
        if is_over_share || !self.has_room(now) {
            self.counts.refused += 1;
            return Arc::new(ConnectionHandle::new(0, Phase::Evicted, now));
        }
        self.counts.open += 1;
        self.counts.admitted += 1;
        let number = self.counts.admitted;
        let handle = Arc::new(ConnectionHandle::new(number, Phase::New, now));
        if let Some(peer) = peer {
            self.sockets.add(peer, 1);
            self.by_network.insert((peer.network, number));
        }
        let entry = Entry {
            handle: Arc::clone(&handle),
            peer,
            buffered: 0,
            message: None,
        };
        self.entries.insert(number, entry);
        handle
    }

    /// Returns whether one more connection may be open. Evicts another one if all are in use.
    fn has_room(&mut self, now: Duration) -> bool {
        self.counts.open - self.closing < self.counts.max
            || self.closing < ACCEPT_SLACK as u64 && self.evict_for_socket(now)
    }

    /// Removes a connection whose socket is closed.
    pub(super) fn close(&mut self, number: u64) {
        self.end_message(number);
        self.stop_counting_peer(number);
        if let Some(entry) = self.entries.remove(&number) {
            self.counts.open -= 1;
            self.closing -= u64::from(entry.handle.is_evicted());
        }
    }

    /// Stops counting a connection that was evicted.
    pub(super) fn forget_evicted(&mut self, number: u64) {
        self.counts.evicted += 1;
        self.closing += 1;
        self.stop_counting_peer(number);
        self.stop_counting_message(number);
        self.wake(number);
    }

    fn stop_counting_peer(&mut self, number: u64) {
        if let Some(entry) = self.entries.get_mut(&number)
            && let Some(peer) = entry.peer.take()
        {
            self.sockets.sub(peer, 1);
            self.buffers.sub(peer, entry.buffered);
            self.by_network.remove(&(peer.network, number));
        }
    }

    /// Sets the bytes of the large buffers of a connection. Those of a proxy count for the client of its message.
    pub(super) fn set_buffered(&mut self, number: u64, bytes: u64) {
        if let Some(entry) = self.entries.get_mut(&number) {
            let before = std::mem::replace(&mut entry.buffered, bytes);
            let message = entry
                .message
                .as_ref()
                .filter(|it| it.is_proxied && !it.is_revoked);
            if let Some(owner) = entry.peer.or(message.map(|message| message.client)) {
                self.buffers.sub(owner, before);
                self.buffers.add(owner, bytes);
                self.evict_for_buffers();
            }
        }
    }

    /// Returns the connections of a network that were not evicted, the oldest first.
    pub(super) fn of_network(&self, network: u64) -> impl Iterator<Item = (u64, &Entry)> {
        let numbers = self.by_network.range((network, 0)..=(network, u64::MAX));
        numbers.filter_map(|(_, number)| Some((*number, self.entries.get(number)?)))
    }

    pub(super) fn wake(&mut self, number: u64) {
        if let Some(entry) = self.entries.get(&number) {
            self.woken.push(Arc::clone(&entry.handle));
        }
    }

    /// Writes the present values into the load.
    pub(super) fn report(&self, load: &mut Load) {
        let [.., budget] = self.ceilings;
        let bytes = [self.held.iter().sum(), budget];
        [load.bytes, load.budget] = bytes.map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        (load.paused, load.cancelled) = (self.pauses.total(), self.cancelled);
        load.moved = self.moved;
        for entry in self.entries.values() {
            if let Some(message) = &entry.message {
                let is_upload = message.priority == Priority::Save;
                load.transfers += 1;
                load.receiving += usize::from(is_upload && message.held > 0);
                load.moved = load.moved.wrapping_add(entry.handle.moved());
            }
        }
    }
}
