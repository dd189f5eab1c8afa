//! Connections: how many there may be, in all, of one network and of one peer, and who makes room.
//!
//! What it must not know: requests.
//! Invariants: one peer (an IPv4 address or an IPv6 /64) has at most 512 connections, one network (an IPv4 /24 or an
//! IPv6 /48) at most an eighth of all; one more is closed before anything is read from it. When all are used up a
//! newcomer has another ended: in the network with the most of them the oldest that is idle or in the middle of a head,
//! or else one whose peer has stopped reading. Only while all are busy with requests nobody gets in. A trusted
//! proxy may have as many as there are, and makes room for nobody. A connection is counted, everywhere, until its socket
//! is closed; one that was ended keeps no newcomer out, as long as they are no more than [`ACCEPT_SLACK`].
//! Cost: a lock for a moment a connection, none a request; see [`mod@crate::http::connection::registry`].
//! Why: whoever is about to send the head of a request has sent nothing yet that a limit could judge, but takes a file
//! descriptor and a buffer of up to 128 KiB.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::clock::Clock;
use crate::fairness::ClientKey;
use crate::http::connection::handle::ConnectionHandle;
use crate::http::connection::registry::ConnectionRegistry;

/// Connections in all, where the system has as many descriptors.
const MOST: u64 = 16 * 1024;

/// Connections beyond that, for a moment: accepted ones that have no place yet, and ended ones that have yet to close.
pub(crate) const ACCEPT_SLACK: usize = 128;

/// Descriptors for what has no place.
const SPARE: u64 = 64 + ACCEPT_SLACK as u64;

/// The connections of one server.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionSlots {
    clock: Clock,
    roster: Arc<Mutex<ConnectionRegistry>>,
}

/// A connection's place, for as long as it lives.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    handle: Arc<ConnectionHandle>,
    /// Where it is listed, if it is.
    listed: Option<(Arc<Mutex<ConnectionRegistry>>, Option<ClientKey>, u64)>,
}

impl ConnectionSlots {
    /// None so far, and never more than so many.
    pub(crate) fn new(clock: Clock, most: usize) -> Self {
        Self {
            clock,
            roster: Arc::new(Mutex::new(ConnectionRegistry::new(most))),
        }
    }

    /// Gives a new connection of this peer its place, or ends it. No peer is one that may have any number.
    pub(crate) fn enter(&self, peer: Option<ClientKey>) -> ConnectionSlot {
        let handle = Arc::new(ConnectionHandle::new());
        let now = self.clock.elapsed();
        let number = self.roster.lock().enter(peer, &handle, now);
        if number.is_none() {
            handle.end();
        }
        ConnectionSlot {
            handle,
            listed: number.map(|number| (Arc::clone(&self.roster), peer, number)),
        }
    }
}

impl ConnectionSlot {
    /// How much the connection would be missed.
    pub(crate) fn handle(&self) -> &Arc<ConnectionHandle> {
        &self.handle
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        if let Some((roster, peer, number)) = self.listed.take() {
            roster.lock().leave(peer, number);
        }
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
    use crate::http::connection::registry::MOST_PER_PEER;

    #[test]
    fn the_process_may_have_more_files_open_than_one_peer_has_connections() {
        assert!(most().unwrap() as u64 > MOST_PER_PEER);
        let current = getrlimit(Resource::Nofile).current;
        assert!(current.is_none_or(|current| current > SPARE + MOST_PER_PEER));
    }
}
