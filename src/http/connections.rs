//! Connections: how many there may be, in all and of one peer.
//!
//! What it must not know: requests.
//! Invariants: one peer (an IPv4 address or an IPv6 /64) has at most [`MOST_PER_PEER`] connections; one more is shut
//! before anything is read from it. A trusted proxy may have as many as there are. What was counted is forgotten when
//! the connection is.
//! Cost: a map entry a peer; a lock for a moment a connection, none a request.
//! Why: whoever is about to send the head of a request has sent nothing yet that a limit could judge, but takes a file
//! descriptor and a buffer of up to 128 KiB.

use std::any::Any;
use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::sync::Arc;

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use parking_lot::Mutex;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::service::Service;
use crate::limit::ClientKey;

/// Connections of one peer at once.
const MOST_PER_PEER: usize = 512;

/// Connections in all, where the system has as many descriptors.
const MOST: u64 = 16 * 1024;

/// Descriptors for what is no connection.
const SPARE: u64 = 64;

/// How many connections each peer has; no entry for none.
type Counts = Mutex<HashMap<ClientKey, usize>>;

/// Counts the connections of one server.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    service: Arc<Service>,
    counts: Arc<Counts>,
}

/// A connection that is counted, for as long as it lives.
struct Counted {
    counts: Arc<Counts>,
    peer: ClientKey,
}

impl Connections {
    /// None so far.
    pub(crate) fn new(service: Arc<Service>) -> Self {
        Self {
            service,
            counts: Arc::default(),
        }
    }

    /// Counts a new connection, or shuts it. What is put into the connection's data goes with it.
    pub(crate) fn on_connect(&self, connection: &dyn Any, data: &mut Extensions) {
        let Some(stream) = connection.downcast_ref::<TcpStream>() else {
            return;
        };
        let address = stream.peer_addr().map(|peer| peer.ip()).ok();
        let Some(peer) = self.service.clients.untrusted_peer(address) else {
            return;
        };
        match self.count(peer) {
            Some(counted) => _ = data.insert(counted),
            // Its end will be noticed as that of any other.
            None => _ = socket2::SockRef::from(stream).shutdown(Shutdown::Both),
        }
    }

    fn count(&self, peer: ClientKey) -> Option<Counted> {
        let mut counts = self.counts.lock();
        let count = counts.entry(peer).or_default();
        if *count >= MOST_PER_PEER {
            return None;
        }
        *count += 1;
        Some(Counted {
            counts: Arc::clone(&self.counts),
            peer,
        })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.peer);
            }
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

    #[test]
    fn the_process_may_have_more_files_open_than_one_peer_has_connections() {
        assert!(most().unwrap() > MOST_PER_PEER);
        let current = getrlimit(Resource::Nofile).current;
        assert!(current.is_none_or(|current| current > SPARE + MOST_PER_PEER as u64));
    }
}
