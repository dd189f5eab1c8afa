//! A prefix map. It assigns values to networks, and finds the value for an address by the longest matching prefix.
//!
//! Invariants: A network has one value. An address of one family never matches a network of the other.
//! Cost: The map is a tree of bitmaps (Eatherton, Dittia, Varghese, "Tree bitmap", 2004) with five bits per step. The
//! time of a look-up depends on the length of the prefixes and not on their number: a fraction of a microsecond with
//! 100,000 networks (`benches/networks.rs`).
//!
//! Why this library: `ip_network_table` is as fast and small, but not maintained. `iptrie` is twice as fast, but reads
//! memory beyond its references, and panics if it guesses the size of a buffer wrong.

use std::fmt;

use ipnet::IpNet;
use prefix_trie::joint::JointPrefixMap;

use super::CanonicalIp;

/// A map from networks to values.
#[derive(Clone, PartialEq, Eq)]
// The trees are boxed, because even an empty tree takes some 400 bytes.
pub(super) struct PrefixMap<T: Eq>(Box<JointPrefixMap<IpNet, T>>);

impl<T: Eq> Default for PrefixMap<T> {
    fn default() -> Self {
        Self(Box::default())
    }
}

impl<T: Eq> PrefixMap<T> {
    /// Sets the value of a network. Returns its old value, or `None` if it had none.
    pub(super) fn insert(&mut self, network: IpNet, value: T) -> Option<T> {
        self.0.insert(network, value)
    }

    /// Returns the value of the smallest network that contains this address, or `None` if no network contains it.
    pub(super) fn find(&self, address: CanonicalIp) -> Option<&T> {
        self.0.get_lpm(&address.ip().into()).map(|(_, value)| value)
    }

    /// Returns the number of networks.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the map contains no networks.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Shows only the number of networks, because there may be a hundred thousand.
impl<T: Eq> fmt::Debug for PrefixMap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrefixMap({} networks)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use proptest::prelude::*;

    use super::*;

    /// The reference implementation. It searches every network.
    #[derive(Default)]
    struct List(Vec<(IpNet, u16)>);

    impl List {
        fn insert(&mut self, network: IpNet, value: u16) -> Option<u16> {
            let old = self.0.iter().position(|(known, _)| *known == network);
            let old = old.map(|at| self.0.remove(at).1);
            self.0.push((network, value));
            old
        }

        fn find(&self, address: CanonicalIp) -> Option<&u16> {
            let matching = self.0.iter().filter(|(it, _)| it.contains(&address.ip()));
            let longest = matching.max_by_key(|(it, _)| it.prefix_len());
            longest.map(|(_, value)| value)
        }
    }

    /// Generates bits with long runs of equal bits, so that networks contain each other.
    fn bits() -> impl Strategy<Value = u128> {
        let run = prop_oneof![Just(0_u8), Just(0xff), Just(0x80), any::<u8>()];
        proptest::array::uniform16(run).prop_map(u128::from_be_bytes)
    }

    fn network() -> impl Strategy<Value = IpNet> {
        let v4 = (bits(), 0..=32_u8).prop_map(|(bits, length)| (v4(bits), length));
        let v6 = (bits(), 0..=128_u8).prop_map(|(bits, length)| (v6(bits), length));
        prop_oneof![v4, v6].prop_map(|(ip, length)| IpNet::new(ip, length).unwrap().trunc())
    }

    fn v4(bits: u128) -> IpAddr {
        IpAddr::V4(u32::try_from(bits >> 96).unwrap().into())
    }

    fn v6(bits: u128) -> IpAddr {
        IpAddr::V6(bits.into())
    }

    proptest! {
        #[test]
        fn the_longest_prefix_is_the_one_that_a_search_of_all_finds(
            networks in proptest::collection::vec((network(), any::<u16>()), 0..30),
            asked in proptest::collection::vec(bits(), 10),
        ) {
            let (mut map, mut list) = (PrefixMap::default(), List::default());
            for (network, value) in &networks {
                prop_assert_eq!(map.insert(*network, *value), list.insert(*network, *value));
            }
            prop_assert_eq!(map.len(), list.0.len());
            // The test looks up random addresses, and the first and last address of every network.
            let ends = networks.iter().flat_map(|(it, _)| [it.network(), it.broadcast()]);
            let random = asked.iter().flat_map(|bits| [v4(*bits), v6(*bits)]);
            for address in ends.chain(random).map(CanonicalIp::from) {
                prop_assert_eq!(map.find(address), list.find(address), "{:?}", address);
            }
        }
    }
}
