//! The registry of open connections: it limits each peer and network, and evicts a connection to admit another.
//!
//! Invariants:
//! - One peer (an IPv4 address or an IPv6 /64) has at most 512 connections. One network (an IPv4 /24 or an IPv6 /48)
//!   has at most a quarter of all.
//! - When all connections are in use, a new connection evicts another one. This is the oldest waiting connection of the
//!   largest network that has one. If none waits, it is the oldest connection whose peer has stopped reading.
//! - A new connection is refused only while all connections are busy with requests.
//! - A connection without a key, such as a trusted proxy's, has no limit of its own and is never evicted.
//! - A connection counts until its socket is closed. Evicted connections do not prevent a new one from being admitted,
//!   as long as at most [`ACCEPT_SLACK`] are not closed yet.
//! - The large buffers of all connections have at most [`MAX_HELD`] bytes together. If they have more, the heaviest
//!   client of the heaviest network loses the connection that holds most, an idle one first.
//!
//! Cost: a few tree entries per connection. The search for a connection to evict skips busy connections.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::fairness::{ClientKey, FairShares};
use crate::http::connection::file_limit::ACCEPT_SLACK;
use crate::http::connection::handle::{ConnectionHandle, Evictability};
use crate::operate::Connections;

/// Maximum number of connections that one peer may have at once.
pub(crate) const MAX_PER_PEER: u64 = 512;

/// One network may have at most all connections divided by this number.
const NETWORK_FRACTION: u64 = 4;

/// Maximum bytes of the buffers that connections have in addition to the small ones of every connection.
const MAX_HELD: u64 = 32 << 20;

/// All open connections of the server.
#[derive(Debug)]
pub(crate) struct ConnectionRegistry {
    /// Maximum number of connections at once, evicted ones not included.
    max: u64,
    /// The number of open sockets. Those of evicted connections and of connections without a key are included.
    count: u64,
    /// The number of the newest connection.
    last_number: u64,
    /// The numbers of connections that were not admitted, and of those that were evicted.
    refusals: u64,
    evictions: u64,
    /// The number of open sockets of each peer and network.
    sockets: FairShares,
    /// The number of connections of each peer and network that were not evicted.
    live: FairShares,
    /// The connections that `live` counts, by network and number: the oldest of each network first.
    handles: BTreeMap<(u64, u64), Admitted>,
    /// The bytes that the connections of each peer and network hold.
    held: FairShares,
}

/// A connection that was not evicted.
#[derive(Debug)]
struct Admitted {
    peer: ClientKey,
    handle: Arc<ConnectionHandle>,
    held: u64,
}

impl ConnectionRegistry {
    /// Creates an empty registry for at most `max` connections.
    pub(crate) fn new(max: usize) -> Self {
        let max = max as u64;
        Self {
            max,
            count: 0,
            last_number: 0,
            refusals: 0,
            evictions: 0,
            sockets: FairShares::new(MAX_PER_PEER, (max / NETWORK_FRACTION).max(1)),
            live: FairShares::new(u64::MAX, u64::MAX),
            handles: BTreeMap::new(),
            held: FairShares::new(u64::MAX, u64::MAX),
        }
    }

    /// Does the same as [`Self::insert`], and counts a connection that is not admitted.
    pub(crate) fn admit(
        &mut self,
        peer: Option<ClientKey>,
        handle: &Arc<ConnectionHandle>,
        now: Duration,
    ) -> Option<u64> {
        let number = self.insert(peer, handle, now);
        self.refusals += u64::from(number.is_none());
        number
    }

    /// Returns how many connections are open, and how many there were.
    pub(crate) fn counts(&self) -> Connections {
        Connections {
            open: self.count,
            max: self.max,
            admitted: self.last_number,
            refused: self.refusals,
            evicted: self.evictions,
        }
    }

    /// Adds a connection and returns its number. Returns `None` if the connection is not admitted. `peer` is `None` for
    /// a peer that may have any number of connections.
    fn insert(
        &mut self,
        peer: Option<ClientKey>,
        handle: &Arc<ConnectionHandle>,
        now: Duration,
    ) -> Option<u64> {
        if peer.is_some_and(|peer| self.sockets.exceeded(peer, 0, 1).is_some()) {
            return None;
        }
        if self.count - self.evicted() >= self.max {
            if self.evicted() >= ACCEPT_SLACK as u64 {
                return None;
            }
            self.evict_one(now)?;
        }
        self.count += 1;
        self.last_number += 1;
        if let Some(peer) = peer {
            self.sockets.add(peer, 1);
            self.live.add(peer, 1);
            let key = (peer.network, self.last_number);
            let handle = Arc::clone(handle);
            let admitted = Admitted {
                peer,
                handle,
                held: 0,
            };
            self.handles.insert(key, admitted);
        }
        Some(self.last_number)
    }

    /// Removes a connection whose socket is closed.
    pub(crate) fn remove(&mut self, peer: Option<ClientKey>, number: u64) {
        self.count -= 1;
        if let Some(peer) = peer {
            self.sockets.sub(peer, 1);
            self.forget(peer, number);
        }
    }

    /// Sets the bytes that a connection holds. Evicts connections while all of them hold more than they may.
    pub(crate) fn hold(&mut self, peer: ClientKey, number: u64, bytes: u64) {
        let Some(connection) = self.handles.get_mut(&(peer.network, number)) else {
            return;
        };
        let before = std::mem::replace(&mut connection.held, bytes);
        self.held.sub(peer, before);
        self.held.add(peer, bytes);
        while self.held.total() > MAX_HELD {
            let Some((peer, number)) = self.heaviest() else {
                return;
            };
            if let Some(connection) = self.forget(peer, number) {
                connection.handle.evict();
                self.evictions += 1;
            }
        }
    }

    /// Returns the connection of the heaviest client of the heaviest network that waits for a request and holds most. If
    /// none waits, returns the one that holds most.
    fn heaviest(&self) -> Option<(ClientKey, u64)> {
        let (network, _) = self.held.networks().next()?;
        let (client, _) = self.held.clients(network).next()?;
        let of_network = self.handles.range((network, 0)..=(network, u64::MAX));
        of_network
            .filter(|(_, connection)| connection.peer.client == client && connection.held > 0)
            .max_by_key(|(_, connection)| (connection.handle.is_waiting(), connection.held))
            .map(|(&(_, number), connection)| (connection.peer, number))
    }

    /// Removes a connection that is closed or evicted from all sums but that of the sockets.
    fn forget(&mut self, peer: ClientKey, number: u64) -> Option<Admitted> {
        let connection = self.handles.remove(&(peer.network, number))?;
        self.live.sub(peer, 1);
        self.held.sub(peer, connection.held);
        Some(connection)
    }

    /// Returns the number of evicted connections that are not closed yet.
    fn evicted(&self) -> u64 {
        self.sockets.total() - self.live.total()
    }

    /// Evicts one connection. Returns `None` if all are busy.
    fn evict_one(&mut self, now: Duration) -> Option<()> {
        let (peer, number) = self
            .evict_first(Evictability::Waiting, now)
            .or_else(|| self.evict_first(Evictability::Stalled, now))?;
        self.forget(peer, number)?;
        self.evictions += 1;
        Some(())
    }

    /// Evicts the oldest connection with this evictability, in the largest network that has one.
    fn evict_first(&self, evictability: Evictability, now: Duration) -> Option<(ClientKey, u64)> {
        self.live
            .networks()
            .flat_map(|(network, _)| self.handles.range((network, 0)..=(network, u64::MAX)))
            .find(|(_, connection)| connection.handle.evict_if(evictability, now))
            .map(|(&(_, number), connection)| (connection.peer, number))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http::connection::handle::Activity;

    const MAX: usize = 8;
    const PER_NETWORK: u64 = 4;
    const PER_PEER: u64 = 2;

    /// One open connection of the reference implementation.
    #[derive(Debug, Clone)]
    struct Twin {
        number: u64,
        peer: Option<ClientKey>,
        handle: Arc<ConnectionHandle>,
        activity: Activity,
        is_evicted: bool,
    }

    #[derive(Debug, Clone)]
    enum Step {
        Insert { peer: u64 },
        SetActivity { which: usize, activity: u8 },
        Advance { seconds: u64 },
        Remove { which: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        let which = 0..16_usize;
        prop_oneof![
            4 => (0..13_u64).prop_map(|peer| Step::Insert { peer }),
            3 => (which.clone(), 0..3_u8)
                .prop_map(|(which, activity)| Step::SetActivity { which, activity }),
            1 => (0..40_u64).prop_map(|seconds| Step::Advance { seconds }),
            1 => which.prop_map(|which| Step::Remove { which }),
        ]
    }

    /// The key of a peer. Peers 0 to 11 are clients, three in each of four networks. Peer 12 is a trusted proxy, which
    /// has no key.
    fn key(peer: u64) -> Option<ClientKey> {
        (peer < 12).then_some(ClientKey {
            network: peer / 3,
            client: peer,
        })
    }

    fn count(twins: &[Twin], of: impl Fn(&Twin) -> bool) -> u64 {
        twins.iter().filter(|twin| of(twin)).count() as u64
    }

    impl Twin {
        fn is_of_network(&self, network: u64) -> bool {
            self.peer.is_some_and(|peer| peer.network == network)
        }

        fn has(&self, evictability: Evictability, now: Duration) -> bool {
            match evictability {
                Evictability::Waiting => self.activity == Activity::Waiting,
                Evictability::Stalled => {
                    matches!(self.activity, Activity::Blocked(since) if since.as_secs() + 30 <= now.as_secs())
                }
            }
        }
    }

    /// Returns the number of the connection to evict.
    fn victim(twins: &[Twin], now: Duration) -> Option<u64> {
        [Evictability::Waiting, Evictability::Stalled]
            .into_iter()
            .find_map(|evictability| {
                twins
                    .iter()
                    .filter(|twin| !twin.is_evicted && twin.has(evictability, now))
                    .filter_map(|twin| twin.peer.map(|peer| (peer.network, twin.number)))
                    .max_by_key(|(network, number)| {
                        let oldest_first = std::cmp::Reverse(*number);
                        let live = count(twins, |twin| {
                            !twin.is_evicted && twin.is_of_network(*network)
                        });
                        (live, *network, oldest_first)
                    })
            })
            .map(|(_, number)| number)
    }

    /// Returns whether a new connection is admitted, and the number of the connection that is evicted for it.
    fn judge(twins: &[Twin], newcomer: Option<ClientKey>, now: Duration) -> (bool, Option<u64>) {
        if let Some(newcomer) = newcomer {
            let of_peer = count(twins, |twin| twin.peer == Some(newcomer));
            let of_network = count(twins, |twin| twin.is_of_network(newcomer.network));
            if of_peer >= PER_PEER || of_network >= PER_NETWORK {
                return (false, None);
            }
        }
        if count(twins, |twin| !twin.is_evicted) < MAX as u64 {
            return (true, None);
        }
        let victim = victim(twins, now);
        (victim.is_some(), victim)
    }

    proptest! {
        #[test]
        fn the_registry_decides_as_a_full_recount_would(
            steps in prop::collection::vec(step(), 1..200),
        ) {
            let mut registry = ConnectionRegistry {
                sockets: FairShares::new(PER_PEER, PER_NETWORK),
                ..ConnectionRegistry::new(MAX)
            };
            let mut twins: Vec<Twin> = Vec::new();
            let mut now = Duration::ZERO;
            for step in steps {
                match step {
                    Step::Insert { peer } => {
                        let handle = Arc::new(ConnectionHandle::new());
                        let (is_admitted, victim) = judge(&twins, key(peer), now);
                        let number = registry.insert(key(peer), &handle, now);
                        prop_assert_eq!(number.is_some(), is_admitted);
                        for twin in &mut twins {
                            twin.is_evicted |= Some(twin.number) == victim;
                        }
                        twins.extend(number.map(|number| Twin {
                            number,
                            peer: key(peer),
                            handle,
                            activity: Activity::Waiting,
                            is_evicted: false,
                        }));
                    }
                    Step::SetActivity { which, activity } => {
                        let activities = [Activity::Waiting, Activity::Answering, Activity::Blocked(now)];
                        if let Some(twin) = twins.get_mut(which) {
                            twin.activity = activities[usize::from(activity)];
                            twin.handle.set_activity(twin.activity);
                        }
                    }
                    Step::Advance { seconds } => now += Duration::from_secs(seconds),
                    Step::Remove { which } => {
                        if which < twins.len() {
                            let twin = twins.remove(which);
                            registry.remove(twin.peer, twin.number);
                        }
                    }
                }
                for twin in &twins {
                    prop_assert_eq!(twin.handle.is_evicted(), twin.is_evicted);
                }
                prop_assert_eq!(registry.count, twins.len() as u64);
                prop_assert_eq!(registry.evicted(), count(&twins, |twin| twin.is_evicted));
            }
            for twin in twins {
                registry.remove(twin.peer, twin.number);
            }
            prop_assert_eq!((registry.count, registry.evicted()), (0, 0));
            prop_assert!(registry.handles.is_empty() && registry.live.networks().next().is_none());
            prop_assert!(registry.sockets.networks().next().is_none());
        }
    }

    /// A registry with a connection of each of these peers, and their handles. A peer is a network and a client.
    fn registry_of(
        peers: &[(u64, u64)],
    ) -> (ConnectionRegistry, Vec<(ClientKey, Arc<ConnectionHandle>)>) {
        let mut registry = ConnectionRegistry::new(100);
        let admit = |&(network, client): &(u64, u64)| {
            let (peer, handle) = (
                ClientKey { network, client },
                Arc::new(ConnectionHandle::new()),
            );
            handle.set_activity(Activity::Answering);
            registry
                .insert(Some(peer), &handle, Duration::ZERO)
                .unwrap();
            (peer, handle)
        };
        let handles = peers.iter().map(admit).collect();
        (registry, handles)
    }

    #[test]
    fn the_heaviest_client_of_the_heaviest_network_loses_what_holds_most() {
        let peers = [(1, 1), (1, 2), (1, 2), (2, 3)];
        let (mut registry, handles) = registry_of(&peers);
        let third = MAX_HELD / 3;
        let holds = [third / 2, third / 2 + 1, third - 1, third];
        for (index, held) in holds.into_iter().enumerate() {
            registry.hold(handles[index].0, index as u64 + 1, held);
        }
        assert!(handles.iter().all(|(_, handle)| !handle.is_evicted()));
        registry.hold(handles[3].0, 4, third + 10);
        let evicted: Vec<_> = handles
            .iter()
            .map(|(_, handle)| handle.is_evicted())
            .collect();
        assert_eq!(evicted, [false, false, true, false]);
        assert_eq!(registry.held.total(), 2 * (third / 2) + 1 + third + 10);
    }

    #[test]
    fn a_connection_that_waits_for_a_request_makes_room_before_a_busy_one() {
        let (mut registry, handles) = registry_of(&[(1, 1), (1, 1), (1, 1)]);
        handles[1].1.set_activity(Activity::Waiting);
        handles[2].1.set_activity(Activity::Waiting);
        registry.hold(handles[1].0, 2, 1);
        registry.hold(handles[0].0, 1, MAX_HELD);
        let evicted: Vec<_> = handles
            .iter()
            .map(|(_, handle)| handle.is_evicted())
            .collect();
        assert_eq!(evicted, [false, true, false], "the third one holds nothing");
        for (index, (peer, _)) in handles.into_iter().enumerate() {
            registry.remove(Some(peer), index as u64 + 1);
        }
        assert_eq!((registry.held.total(), registry.live.total()), (0, 0));
    }

    #[test]
    fn newcomers_are_refused_while_too_many_evicted_connections_have_yet_to_close() {
        let mut registry = ConnectionRegistry::new(1);
        let mut insert = |peer| {
            let handle = Arc::new(ConnectionHandle::new());
            let peer = ClientKey {
                network: peer,
                client: peer,
            };
            let number = registry.insert(Some(peer), &handle, Duration::ZERO);
            (peer, number)
        };
        let (first, number) = insert(0);
        for peer in 1..=ACCEPT_SLACK as u64 {
            assert!(insert(peer).1.is_some());
        }
        assert_eq!(insert(1_000).1, None);
        registry.remove(Some(first), number.unwrap());
        assert_eq!(registry.count, ACCEPT_SLACK as u64);
        let handle = Arc::new(ConnectionHandle::new());
        assert!(registry.insert(None, &handle, Duration::ZERO).is_some());
    }
}
