//! Who is asking: the peer, or whom a trusted proxy speaks for, and what the operator has decided about them.
//!
//! What it must not know: what a client may do.
//! Invariants: only the one header that the operator named is looked at, and only if the peer is a trusted proxy: of its
//! hops the nearest that is no trusted proxy is the client. What is farther away anybody may have written. Where the
//! header breaks off or is rubbish the client is the last hop that was good, so that rubbish makes nobody another client.
//! A peer without an address is on this machine, as behind a unix socket, and trusted. No address outlives the request.
//! Cost: without trusted proxies and networks two hashes and a look for the header, until that was found once.

mod forwarded;

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, HeaderName};
use parking_lot::RwLock;

use crate::config::NetworksFile;
use crate::fairness::ClientKey;
use crate::limit::{CanonicalIp, ClientKeyHasher, NetworkPolicies, NetworkPolicy, TrustedProxies};
use forwarded::Syntax;

/// A client, for as long as its request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientIdentity {
    pub(crate) key: ClientKey,
    pub(crate) policy: NetworkPolicy,
}

/// Tells clients from each other; one for the process.
#[derive(Debug)]
pub(crate) struct ClientResolver {
    keys: ClientKeyHasher,
    trusted: TrustedProxies,
    /// Where a trusted proxy says whom it speaks for.
    header: HeaderName,
    syntax: Syntax,
    /// Swapped whole: whoever reads it waits for a move of a few words at most.
    networks: RwLock<NetworkPolicies>,
    networks_file: Option<NetworksFile>,
    /// Whether the warning of [`ClientResolver::warn_once`] was given.
    warned: AtomicBool,
}

impl ClientResolver {
    /// What is known of clients before any came.
    pub(crate) fn new(
        keys: ClientKeyHasher,
        trusted: TrustedProxies,
        header: HeaderName,
        networks: NetworkPolicies,
        networks_file: Option<NetworksFile>,
    ) -> Self {
        Self {
            keys,
            trusted,
            syntax: Syntax::of(&header),
            header,
            networks: RwLock::new(networks),
            networks_file,
            warned: AtomicBool::new(false),
        }
    }

    /// The client that sent this request.
    pub(crate) fn identify(&self, request: &HttpRequest) -> ClientIdentity {
        let peer = request.peer_addr().map(|peer| peer.ip());
        let (address, is_known) = self.address(peer, request.headers());
        let policy = if is_known {
            self.networks.read().policy_of(address)
        } else {
            NetworkPolicy::default()
        };
        ClientIdentity {
            key: self.keys.key_of(address),
            policy,
        }
    }

    /// The client that a connection from this address is of; none if it may be of many, as a trusted proxy's.
    pub(crate) fn untrusted_peer(&self, address: Option<IpAddr>) -> Option<ClientIdentity> {
        let address = CanonicalIp::from(address?);
        let is_trusted = self.trusted.contains(address);
        (!is_trusted).then(|| ClientIdentity {
            key: self.keys.key_of(Some(address)),
            policy: self.networks.read().policy_of(Some(address)),
        })
    }

    /// The client's address, none for one on this machine; and whether it is the client's own, and not that of a proxy
    /// which spoke for somebody in words that are no address. Such a one has no treatment of its own: the proxy's may be
    /// better than it deserves.
    fn address(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> (Option<CanonicalIp>, bool) {
        let peer = peer.map(CanonicalIp::from);
        if peer.is_some_and(|peer| !self.trusted.contains(peer)) {
            self.warn_once(headers);
            return (peer, true);
        }
        let mut client = peer;
        for hop in forwarded::rightmost_first(headers, &self.header, self.syntax) {
            let Some(hop) = hop else {
                return (client, false);
            };
            client = Some(hop);
            if !self.trusted.contains(hop) {
                break;
            }
        }
        (client, true)
    }

    /// Says that a proxy is not trusted, the first time that one is met. No address: it may be a client's own doing.
    fn warn_once(&self, headers: &HeaderMap) {
        let is_news = !self.warned.load(Ordering::Relaxed)
            && headers.contains_key(&self.header)
            && !self.warned.swap(true, Ordering::Relaxed);
        if is_news {
            tracing::warn!(
                header = self.header.as_str(),
                "a proxy's header from a peer that is not trusted was ignored: all behind that proxy count as one \
                 client; if it is yours, name it in TIDEBIN_TRUSTED_PROXIES"
            );
        }
    }

    /// Reads the networks again from the file that they came from, and says so in the log. A file that is misread
    /// changes nothing. Blocks while it is read.
    pub(crate) fn reload_networks(&self) {
        let Some(file) = &self.networks_file else {
            tracing::info!("there is nothing to read again: TIDEBIN_NETWORKS names no @file");
            return;
        };
        match file.read() {
            Ok(networks) => {
                let entries = networks.len();
                // The old ones are freed after the lock is.
                let old = std::mem::replace(&mut *self.networks.write(), networks);
                tracing::info!(entries, before = old.len(), "the networks were read again");
            }
            Err(error) => tracing::error!(%error, "the networks stay as they were"),
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    const HEADER: HeaderName = HeaderName::from_static("x-forwarded-for");

    /// Whom these clients take for the client when this peer sends this header.
    fn client(clients: &ClientResolver, peer: &str, header: &str) -> String {
        let mut headers = HeaderMap::new();
        for line in header.split('\n').filter(|line| !line.is_empty()) {
            headers.append(HEADER, HeaderValue::from_str(line).unwrap());
        }
        let peer = peer.parse().ok();
        let (address, _) = clients.address(peer, &headers);
        address.map_or("none".to_owned(), |address| address.ip().to_string())
    }

    fn trusting(proxies: &str) -> ClientResolver {
        let trusted = proxies.parse().unwrap();
        ClientResolver::new(
            ClientKeyHasher::new([7; 16]),
            trusted,
            HEADER,
            NetworkPolicies::default(),
            None,
        )
    }

    #[test]
    fn the_client_is_the_nearest_hop_that_is_no_trusted_proxy() {
        let clients = trusting("127.0.0.1, 10.0.0.0/8");
        for (peer, header, expected) in [
            ("127.0.0.1", "", "127.0.0.1"),
            ("127.0.0.1", "192.0.2.1", "192.0.2.1"),
            ("127.0.0.1", "198.51.100.1, 192.0.2.1", "192.0.2.1"),
            (
                "127.0.0.1",
                "198.51.100.1, 192.0.2.1, 10.0.0.1",
                "192.0.2.1",
            ),
            (
                "127.0.0.1",
                "198.51.100.1\n192.0.2.1\n10.0.0.1",
                "192.0.2.1",
            ),
            ("::ffff:127.0.0.1", "::ffff:192.0.2.1", "192.0.2.1"),
            ("127.0.0.1", "10.0.0.3, 10.0.0.2, 10.0.0.1", "10.0.0.3"),
            ("127.0.0.1", "rubbish", "127.0.0.1"),
            ("127.0.0.1", "192.0.2.1, rubbish, 10.0.0.1", "10.0.0.1"),
            ("127.0.0.1", "rubbish, 192.0.2.1", "192.0.2.1"),
            ("none", "192.0.2.1, 10.0.0.1", "192.0.2.1"),
            ("none", "", "none"),
            ("none", "rubbish", "none"),
        ] {
            assert_eq!(client(&clients, peer, header), expected, "{peer} {header}");
        }
    }

    #[test]
    fn the_header_of_an_untrusted_peer_is_ignored() {
        for clients in [trusting(""), trusting("10.0.0.0/8")] {
            for header in ["192.0.2.1", "192.0.2.1, 10.0.0.1", "10.0.0.1"] {
                assert_eq!(client(&clients, "127.0.0.1", header), "127.0.0.1");
            }
            assert!(clients.warned.load(Ordering::Relaxed));
        }
    }

    #[test]
    fn nobody_is_warned_of_who_sends_no_header_or_is_trusted() {
        let clients = trusting("127.0.0.1");
        client(&clients, "192.0.2.1", "");
        client(&clients, "127.0.0.1", "192.0.2.1");
        assert!(!clients.warned.load(Ordering::Relaxed));
    }
}
