//! The client key hasher. It computes the keys of a client and its network from an IP address, or from the name of an
//! account.
//!
//! A client is an IPv4 address or an IPv6 /64. A household or a rented server usually gets one such address or /64. The
//! network of a client is the IPv4 /24 or the IPv6 /48.
//! Invariants: A key is a keyed hash (SipHash-1-3), so it means nothing without the secret key. No client can choose an
//! address whose key collides with another's. The address family and the tier are hashed too. A client is therefore
//! never confused with a network, nor IPv4 with IPv6, nor an address with an account.
//! Cost: A key takes two hashes, and that of an account three.

use std::net::IpAddr;

use siphasher::sip::SipHasher13;

use super::CanonicalIp;
use crate::fairness::ClientKey;
use crate::hidden::Hidden;

/// Hashes addresses under a secret key. Equal secret keys produce equal hashes, on every node and after every start.
#[derive(Debug, Clone)]
pub struct ClientKeyHasher(Hidden<SipHasher13>);

/// The address family and tier of the hashed bits. A kind is hashed as a number, because hashing an enum takes five
/// times as long.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
enum Kind {
    V4Network,
    V4Client,
    V6Network,
    V6Client,
    LocalNetwork,
    LocalClient,
    AccountNetwork,
    AccountClient,
}

impl ClientKeyHasher {
    /// Creates a hasher with this secret key.
    pub fn new(key: [u8; 16]) -> Self {
        Self(Hidden(SipHasher13::new_with_key(&key)))
    }

    /// Returns the key of the client at this address. Clients without an address are on this machine, and all of them
    /// count as one client.
    pub fn key_of(&self, address: Option<CanonicalIp>) -> ClientKey {
        let (network, client) = match address.map(CanonicalIp::ip) {
            Some(IpAddr::V4(ip)) => {
                let bits = u64::from(ip.to_bits());
                ((Kind::V4Network, bits >> 8), (Kind::V4Client, bits))
            }
            Some(IpAddr::V6(ip)) => {
                let [a, b, c, d, ..] = ip.segments().map(u64::from);
                let network = (a << 32) | (b << 16) | c;
                let client = (network << 16) | d;
                ((Kind::V6Network, network), (Kind::V6Client, client))
            }
            None => ((Kind::LocalNetwork, 0), (Kind::LocalClient, 0)),
        };
        ClientKey {
            network: self.hash(network),
            client: self.hash(client),
        }
    }

    /// Returns the key of the account with this name. It is a client and a network of its own, whatever its address is.
    pub fn key_of_account(&self, name: &str) -> ClientKey {
        let bits = self.0.0.hash(name.as_bytes());
        ClientKey {
            network: self.hash((Kind::AccountNetwork, bits)),
            client: self.hash((Kind::AccountClient, bits)),
        }
    }

    fn hash(&self, (kind, bits): (Kind, u64)) -> u64 {
        let both = (u128::from(kind as u64) << 64) | u128::from(bits);
        self.0.0.hash(&both.to_be_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn address(text: &str) -> Option<CanonicalIp> {
        let ip: IpAddr = text.parse().unwrap();
        Some(ip.into())
    }

    #[test]
    fn a_client_is_an_ipv4_address_or_an_ipv6_64_in_its_24_or_48() {
        let keys = ClientKeyHasher::new([7; 16]);
        for (one, other, same_client, same_network) in [
            ("192.0.2.1", "192.0.2.1", true, true),
            ("192.0.2.1", "192.0.2.2", false, true),
            ("192.0.2.1", "192.0.3.1", false, false),
            ("192.0.2.1", "::ffff:192.0.2.1", true, true),
            ("192.0.2.1", "64:ff9b::192.0.2.1", true, true),
            ("::ffff:192.0.2.1", "::ffff:198.51.100.1", false, false),
            ("2001:db8:1:2::3", "2001:db8:1:2:4:5:6:7", true, true),
            ("2001:db8:1:2::3", "2001:db8:1:3::3", false, true),
            ("2001:db8:1:2::3", "2001:db8:2:2::3", false, false),
        ] {
            let [one_key, other_key] = [one, other].map(|text| keys.key_of(address(text)));
            assert_eq!(
                one_key.client == other_key.client,
                same_client,
                "{one} {other}"
            );
            assert_eq!(
                one_key.network == other_key.network,
                same_network,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn keys_of_different_tiers_address_families_and_accounts_differ() {
        let keys = ClientKeyHasher::new([7; 16]);
        let clients = [address("0.0.0.0"), address("::"), None].map(|at| keys.key_of(at));
        let accounts = ["key alice", "user alice", "key bob"].map(|name| keys.key_of_account(name));
        let hashes: HashSet<u64> = clients
            .iter()
            .chain(&accounts)
            .flat_map(|key| [key.network, key.client])
            .collect();
        assert_eq!(hashes.len(), 12);
        assert_eq!(keys.key_of_account("key alice"), accounts[0]);
    }

    #[test]
    fn under_another_secret_key_the_same_client_has_another_key() {
        let at = address("192.0.2.1");
        let [one, same, other] =
            [[7; 16], [7; 16], [8; 16]].map(|key| ClientKeyHasher::new(key).key_of(at));
        assert_eq!(one, same);
        assert!(one.client != other.client && one.network != other.network);
    }
}
