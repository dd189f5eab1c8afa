//! A prefix map. It assigns values to networks, and finds the value for an address by the longest matching prefix.
//!
//! Invariants: A network has one value. An address of one family never matches a network of the other.
//! Cost: The map is a tree of bitmaps (Eatherton, Dittia, Varghese, "Tree bitmap", 2004) with five bits per step. The
//! time of a look-up depends on the length of the prefixes and not on their number. It was measured with 100,000
//! networks per family and random addresses, mostly outside the caches. A look-up takes 110 ns for IPv4 and 280 ns for
//! IPv6 (`benches/networks.rs`).
//!
//! Why this library: All candidates were measured with the same 100,000 prefixes per family, which resemble a block
//! list. `prefix-trie` takes 126 ns for IPv4, 297 ns for IPv6 and 15.4 MiB. `ip_network_table` (treebitmap) takes 121
//! ns, 320 ns and 13.4 MiB, but has had no release since 2020. `iptrie` takes 71 ns, 129 ns and 12.4 MiB, but reads
//! memory beyond its references. It also guesses the size of a buffer, and panics if the guess is wrong.

use std::fmt;
use std::net::IpAddr;

use prefix_trie::PrefixMap as Tree;

use super::{CanonicalIp, Prefix};

/// A map from networks to values.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PrefixMap<T> {
    // The trees are boxed, because even an empty tree takes some 400 bytes.
    v4: Box<Tree<(u32, u8), T>>,
    v6: Box<Tree<(u128, u8), T>>,
}

impl<T> Default for PrefixMap<T> {
    fn default() -> Self {
        Self {
            v4: Box::default(),
            v6: Box::default(),
        }
    }
}

impl<T> PrefixMap<T> {
    /// Sets the value of a network. Returns its old value, or `None` if it had none.
    pub(super) fn insert(&mut self, network: Prefix, value: T) -> Option<T> {
        match network {
            Prefix::V4(bits, length) => self.v4.insert((bits, length), value),
            Prefix::V6(bits, length) => self.v6.insert((bits, length), value),
        }
    }

    /// Returns the value of the smallest network that contains this address, or `None` if no network contains it.
    pub(super) fn find(&self, address: CanonicalIp) -> Option<&T> {
        match address.ip() {
            IpAddr::V4(ip) => self.v4.get_lpm(&(ip.to_bits(), 32)).map(|found| found.1),
            IpAddr::V6(ip) => self.v6.get_lpm(&(ip.to_bits(), 128)).map(|found| found.1),
        }
    }

    /// Returns the number of networks.
    pub(super) fn len(&self) -> usize {
        self.v4.len() + self.v6.len()
    }

    /// Returns whether the map contains no networks.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Shows only the number of networks, because there may be a hundred thousand.
impl<T> fmt::Debug for PrefixMap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrefixMap({} networks)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The reference implementation. It searches every network.
    #[derive(Default)]
    struct List(Vec<(Prefix, u16)>);

    impl List {
        fn insert(&mut self, network: Prefix, value: u16) -> Option<u16> {
            let old = self.0.iter().position(|(known, _)| *known == network);
            let old = old.map(|at| self.0.remove(at).1);
            self.0.push((network, value));
            old
        }

        fn find(&self, address: CanonicalIp) -> Option<&u16> {
            let length = |network: &Prefix| match (network, address.ip()) {
                (Prefix::V4(bits, length), IpAddr::V4(ip)) => {
                    let differing = (bits ^ ip.to_bits()).leading_zeros();
                    (differing >= u32::from(*length)).then_some(*length)
                }
                (Prefix::V6(bits, length), IpAddr::V6(ip)) => {
                    let differing = (bits ^ ip.to_bits()).leading_zeros();
                    (differing >= u32::from(*length)).then_some(*length)
                }
                (Prefix::V4(..), IpAddr::V6(_)) | (Prefix::V6(..), IpAddr::V4(_)) => None,
            };
            let matching = self
                .0
                .iter()
                .filter_map(|(network, value)| Some((length(network)?, value)));
            matching.max_by_key(|(length, _)| *length).map(|(_, v)| v)
        }
    }

    /// Generates bits with long runs of equal bits, so that networks contain each other.
    fn bits() -> impl Strategy<Value = u128> {
        let run = prop_oneof![Just(0_u8), Just(0xff), Just(0x80), any::<u8>()];
        proptest::array::uniform16(run).prop_map(u128::from_be_bytes)
    }

    fn network() -> impl Strategy<Value = Prefix> {
        let v4 = (bits(), 0..=32_u8).prop_map(|(bits, length)| {
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            Prefix::V4(high(bits) & mask, length)
        });
        let v6 = (bits(), 0..=128_u8).prop_map(|(bits, length)| {
            let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
            Prefix::V6(bits & mask, length)
        });
        prop_oneof![v4, v6]
    }

    fn high(bits: u128) -> u32 {
        u32::try_from(bits >> 96).unwrap()
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
            let ends = networks.iter().flat_map(|(network, _)| match *network {
                Prefix::V4(bits, length) => {
                    let last = bits | u32::MAX.checked_shr(length.into()).unwrap_or(0);
                    [IpAddr::V4(bits.into()), IpAddr::V4(last.into())]
                }
                Prefix::V6(bits, length) => {
                    let last = bits | u128::MAX.checked_shr(length.into()).unwrap_or(0);
                    [IpAddr::V6(bits.into()), IpAddr::V6(last.into())]
                }
            });
            let random = asked.iter().flat_map(|bits| [IpAddr::V6((*bits).into()), IpAddr::V4(high(*bits).into())]);
            for address in ends.chain(random).map(CanonicalIp::from) {
                prop_assert_eq!(map.find(address), list.find(address), "{:?}", address);
            }
        }
    }
}
