//! The client of a request: the peer or the client behind a trusted proxy, and the policy of its network.
//!
//! Invariants:
//! - The client is read from the one header that the operator chose, and only from a trusted proxy.
//! - The client is the nearest hop that is not a trusted proxy. Farther hops may be forged.
//! - If the header ends or is malformed, the client is the last valid hop. A malformed header therefore gives no client
//!   a new identity.
//! - A peer without an address is on this machine, for example behind a unix socket. It is trusted.
//! - No address outlives its request.
//!
//! Cost: two hashes for each request without trusted proxies and networks. Until the warning about an untrusted proxy
//! was logged, each request also looks up the header.

mod forwarded;
mod request_id;

use std::net::IpAddr;
use std::sync::Once;

use actix_web::dev::RequestHead;
use actix_web::http::header::{HeaderMap, HeaderName};
use parking_lot::RwLock;

use super::host::host;
use crate::config::{BaseUrl, ListFile};
use crate::fairness::ClientKey;
use crate::limit::{CanonicalIp, ClientKeyHasher, NetworkPolicies, NetworkPolicy, TrustedProxies};

/// The identity of a client, valid until its request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientIdentity {
    pub(crate) key: ClientKey,
    pub(crate) policy: NetworkPolicy,
}

/// The headers by which proxies say that they pass a request on.
const FORWARDED_HEADERS: [&str; 5] = [
    "forwarded",
    "x-forwarded-for",
    "x-real-ip",
    "via",
    "cf-connecting-ip",
];

/// Identifies clients; one for the process.
pub(crate) struct ClientResolver {
    pub(crate) keys: ClientKeyHasher,
    pub(crate) trusted: TrustedProxies,
    /// The header in which trusted proxies report the client.
    pub(crate) header: HeaderName,
    /// A reload replaces this value as a whole. A reader waits at most while a few words are moved.
    pub(crate) networks: RwLock<NetworkPolicies>,
    pub(crate) networks_file: Option<ListFile>,
    /// Whether [`ClientResolver::warn_once`] has warned.
    pub(crate) warned: Once,
    /// Whether [`ClientResolver::reported_url`] has warned.
    pub(crate) warned_of_url: Once,
}

impl ClientResolver {
    /// The client of a request with these headers. Without headers it is the peer itself, even if it is a trusted
    /// proxy.
    pub(crate) fn identity(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> ClientIdentity {
        let (address, is_known) = self.address(peer, headers);
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

    /// The key of the account with this name.
    pub(crate) fn account(&self, name: &str) -> ClientKey {
        self.keys.key_of_account(name)
    }

    /// The client of a connection from this address. Returns `None` for a trusted proxy or a peer without an
    /// address: their connections may serve several clients.
    pub(crate) fn untrusted_peer(&self, address: Option<IpAddr>) -> Option<ClientIdentity> {
        let address = CanonicalIp::from(address?);
        let is_trusted = self.trusted.contains(address);
        (!is_trusted).then(|| ClientIdentity {
            key: self.keys.key_of(Some(address)),
            policy: self.networks.read().policy_of(Some(address)),
        })
    }

    /// Returns whether all requests on a connection from this address are of the peer itself. An address of this
    /// machine or a private network may be that of a proxy that the operator did not name, unless `with_local` is set.
    pub(crate) fn is_direct(&self, address: Option<IpAddr>, with_local: bool) -> bool {
        address.is_some_and(|address| {
            let address = CanonicalIp::from(address);
            !self.trusted.contains(address) && (with_local || !is_local(address.ip()))
        })
    }

    /// Returns true if the other end of the connection is a trusted proxy.
    pub(crate) fn is_proxy(&self, peer: Option<IpAddr>) -> bool {
        peer.is_none_or(|peer| self.trusted.contains(peer.into()))
    }

    /// The URL of this server as a trusted proxy reports it, by `X-Forwarded-Proto` and `X-Forwarded-Prefix`. The proxy
    /// removes the prefix from the path. The last value of a header counts, because the client may have sent the others.
    /// `None` if neither header has a valid value, or they make no URL.
    pub(crate) fn reported_url(&self, head: &RequestHead, local: &str) -> Option<BaseUrl> {
        if !self.is_proxy(head.peer_addr.map(|peer| peer.ip())) {
            return None;
        }
        let headers = head.headers();
        let scheme = reported(headers, "x-forwarded-proto");
        let scheme = scheme.filter(|scheme| matches!(*scheme, "http" | "https"));
        let prefix =
            reported(headers, "x-forwarded-prefix").filter(|prefix| prefix.starts_with('/'));
        if scheme.is_none() && headers.contains_key(&self.header) {
            self.warned_of_url.call_once(|| {
                tracing::warn!(
                    "the proxy sends no X-Forwarded-Proto of `http` or `https`, and TIDEBIN_BASE_URL is not set: links start with http://"
                );
            });
        }
        scheme.or(prefix)?;
        let (scheme, prefix) = (scheme.unwrap_or("http"), prefix.unwrap_or_default());
        let host = host(head, local).ok()?;
        [scheme, "://", host, prefix].concat().parse().ok()
    }

    /// The id of the request for the log, if a trusted proxy sent one.
    pub(crate) fn request_id<'a>(&self, head: &'a RequestHead) -> Option<&'a str> {
        let peer = head.peer_addr.map(|peer| peer.ip());
        self.is_proxy(peer)
            .then(|| request_id::request_id(head.headers()))?
    }

    /// The client's address, and false if it is only the address of a proxy. It is `None` for a client on this machine.
    /// If a proxy reports no valid address, the address of the proxy is returned. The network policy of the proxy is
    /// not applied then, because it may be too generous.
    fn address(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> (Option<CanonicalIp>, bool) {
        let peer = peer.map(CanonicalIp::from);
        if peer.is_some_and(|peer| !self.trusted.contains(peer)) {
            self.warn_once(headers);
            return (peer, true);
        }
        let mut client = peer;
        for hop in forwarded::rightmost_first(headers, &self.header) {
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

    /// Warns about an untrusted proxy, once per process. The address is not logged: any client can send the header.
    fn warn_once(&self, headers: &HeaderMap) {
        if !self.warned.is_completed() && headers.contains_key(&self.header) {
            self.warned.call_once(|| {
            tracing::warn!(
                header = self.header.as_str(),
                "ignored a proxy header from an untrusted address: if the proxy is yours, add it to \
                 TIDEBIN_TRUSTED_PROXIES, or all its users count as one client"
            );
            });
        }
    }
}

/// The last value in the last line of a header: what the nearest proxy wrote.
fn reported<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let line = headers.get_all(name).last()?.to_str().ok()?;
    line.rsplit(',').next().map(str::trim)
}

/// Returns whether the address is of this machine, or of a network that the internet does not reach.
fn is_local(address: IpAddr) -> bool {
    match address {
        // 100.64.0.0/10 is shared by the clients of a carrier, and by overlay networks (RFC 6598).
        IpAddr::V4(ip) => {
            let [first, second, ..] = ip.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || is_shared
        }
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// Returns whether a proxy has passed the request on.
pub(crate) fn is_forwarded(headers: &HeaderMap) -> bool {
    FORWARDED_HEADERS
        .iter()
        .any(|name| headers.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    const HEADER: HeaderName = HeaderName::from_static("x-forwarded-for");

    /// The address of the client if this peer sends this header.
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
        ClientResolver {
            keys: ClientKeyHasher::new([7; 16]),
            trusted,
            header: HEADER,
            networks: RwLock::default(),
            networks_file: None,
            warned: Once::new(),
            warned_of_url: Once::new(),
        }
    }

    #[test]
    fn the_client_is_the_nearest_hop_that_is_not_a_trusted_proxy() {
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
            assert!(clients.warned.is_completed());
        }
    }

    #[test]
    fn a_trusted_peer_or_one_without_the_header_triggers_no_warning() {
        let clients = trusting("127.0.0.1");
        client(&clients, "192.0.2.1", "");
        client(&clients, "127.0.0.1", "192.0.2.1");
        assert!(!clients.warned.is_completed());
    }
}
