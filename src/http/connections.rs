//! Connections: how many there may be, in all, of one network and of one peer, and who makes room.
//!
//! What it must not know: requests.
//! Invariants: one peer (an IPv4 address or an IPv6 /64) has at most [`MOST_PER_PEER`] connections, one network (an
//! IPv4 /24 or an IPv6 /48) at most an eighth of all; one more is closed before anything is read from it. When all are
//! used up a newcomer takes the place of another: in the network with the most of them the oldest that is idle or in
//! the middle of a head, or else of one whose peer does not read. Only while all answer requests nobody gets in. A
//! trusted proxy may have as many as there are, and makes room for nobody. What was counted is forgotten when the
//! connection is.
//! Cost: a few map entries a connection; a lock for a moment a connection, none a request. Whoever makes room is looked
//! for past those that are busy.
//! Why: whoever is about to send the head of a request has sent nothing yet that a limit could judge, but takes a file
//! descriptor and a buffer of up to 128 KiB.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::service::Service;
use super::wire::{Leisure, Wire};
use crate::limit::ClientKey;

/// Connections of one peer at once.
const MOST_PER_PEER: usize = 512;

/// Of all connections one network may have one in so many.
const NETWORK_PART: usize = 8;

/// Connections in all, where the system has as many descriptors.
const MOST: u64 = 16 * 1024;

/// Connections that are accepted beyond that, each until it has a place or is closed.
pub(crate) const AT_THE_DOOR: usize = 128;

/// Descriptors for what has no place.
const SPARE: u64 = 64 + AT_THE_DOOR as u64;

/// The connections of one server.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    service: Arc<Service>,
    roster: Arc<Mutex<Roster>>,
}

/// A connection's place, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Place {
    wire: Arc<Wire>,
    /// Where it is listed, if it is.
    listed: Option<(Arc<Mutex<Roster>>, Option<ClientKey>, u64)>,
}

/// Who is connected.
#[derive(Debug)]
struct Roster {
    most: usize,
    /// Connections that have a place.
    count: usize,
    /// The number of the next connection: the older the smaller.
    next: u64,
    /// How many connections each peer has; no entry for none.
    peers: HashMap<u64, usize>,
    /// The connections of each network, the oldest first; no entry for none.
    networks: HashMap<u64, BTreeMap<u64, (ClientKey, Arc<Wire>)>>,
    /// The networks by how many connections they have.
    by_size: BTreeSet<(usize, u64)>,
}

impl Connections {
    /// None so far, and never more than so many.
    pub(crate) fn new(service: Arc<Service>, most: usize) -> Self {
        Self {
            service,
            roster: Arc::new(Mutex::new(Roster::new(most))),
        }
    }

    /// Gives a new connection from this address its place, or ends it.
    pub(crate) fn enter(&self, address: Option<IpAddr>) -> Place {
        let wire = Arc::new(Wire::new(self.service.clock.elapsed()));
        let peer = self.service.clients.untrusted_peer(address);
        let number = self.roster.lock().enter(peer, &wire);
        if number.is_none() {
            wire.end();
        }
        Place {
            wire,
            listed: number.map(|number| (Arc::clone(&self.roster), peer, number)),
        }
    }
}

impl Place {
    /// What the connection is doing.
    pub(crate) fn wire(&self) -> &Arc<Wire> {
        &self.wire
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((roster, peer, number)) = self.listed.take() {
            roster.lock().leave(peer, number);
        }
    }
}

impl Roster {
    fn new(most: usize) -> Self {
        Self {
            most,
            count: 0,
            next: 0,
            peers: HashMap::new(),
            networks: HashMap::new(),
            by_size: BTreeSet::new(),
        }
    }

    /// The number of a new connection; none if there is no place for it. No peer is one that may have any number.
    fn enter(&mut self, peer: Option<ClientKey>, wire: &Arc<Wire>) -> Option<u64> {
        if peer.is_some_and(|peer| self.has_its_share(peer)) {
            return None;
        }
        if self.count >= self.most {
            self.make_room()?;
        }
        self.count += 1;
        self.next += 1;
        if let Some(peer) = peer {
            *self.peers.entry(peer.client).or_default() += 1;
            let (number, connection) = (self.next, (peer, Arc::clone(wire)));
            self.change(peer.network, |network| network.insert(number, connection));
        }
        Some(self.next)
    }

    fn has_its_share(&self, peer: ClientKey) -> bool {
        let of_peer = self.peers.get(&peer.client).copied().unwrap_or(0);
        let of_network = self.networks.get(&peer.network).map_or(0, BTreeMap::len);
        of_peer >= MOST_PER_PEER || of_network >= (self.most / NETWORK_PART).max(1)
    }

    /// Takes the place of the connection that is missed least; none if all are busy.
    fn make_room(&mut self) -> Option<()> {
        let (peer, number, wire) = self
            .first_with(Leisure::Waiting)
            .or_else(|| self.first_with(Leisure::Stalled))?;
        wire.end();
        self.leave(Some(peer), number);
        Some(())
    }

    /// The oldest connection that has this leisure, of the largest network that has one.
    fn first_with(&self, leisure: Leisure) -> Option<(ClientKey, u64, Arc<Wire>)> {
        self.by_size
            .iter()
            .rev()
            .filter_map(|(_, network)| self.networks.get(network))
            .flatten()
            .find(|(_, (_, wire))| wire.leisure() == Some(leisure))
            .map(|(number, (peer, wire))| (*peer, *number, Arc::clone(wire)))
    }

    /// Forgets a connection, unless its place was taken before.
    fn leave(&mut self, peer: Option<ClientKey>, number: u64) {
        let was_listed = match peer {
            Some(peer) => self
                .change(peer.network, |network| network.remove(&number))
                .is_some(),
            None => true,
        };
        if !was_listed {
            return;
        }
        self.count -= 1;
        if let Some(peer) = peer
            && let Some(count) = self.peers.get_mut(&peer.client)
        {
            *count -= 1;
            if *count == 0 {
                self.peers.remove(&peer.client);
            }
        }
    }

    /// Changes the connections of a network, and keeps in mind how many they are.
    fn change<T>(
        &mut self,
        key: u64,
        change: impl FnOnce(&mut BTreeMap<u64, (ClientKey, Arc<Wire>)>) -> T,
    ) -> T {
        let network = self.networks.entry(key).or_default();
        let before = network.len();
        let result = change(network);
        let after = network.len();
        self.by_size.remove(&(before, key));
        if after == 0 {
            self.networks.remove(&key);
        } else {
            self.by_size.insert((after, key));
        }
        result
    }
}

/// Connections that the process may have at once, after its limit of open files was raised as far as it may be: the
/// usual one of 1,024 would be used up by two flooders.
pub(crate) fn most() -> io::Result<usize> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(u64::MAX).min(MOST + SPARE);
    if current.is_some_and(|current| current < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            maximum,
        };
        setrlimit(Resource::Nofile, raised)?;
    }
    usize::try_from(wanted.saturating_sub(SPARE).max(1)).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_may_have_more_files_open_than_one_peer_has_connections() {
        assert!(most().unwrap() > MOST_PER_PEER);
        let current = getrlimit(Resource::Nofile).current;
        assert!(current.is_none_or(|current| current > SPARE + MOST_PER_PEER as u64));
    }
}
