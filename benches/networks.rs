//! The cost of identifying a client: its hashes, and the search for the policy of its network among 100,000 networks.
//!
//! `cargo bench --bench networks` prints a table for one thread, in ten seconds.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod random;

use std::fmt::Write;
use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Instant;

use ipnet::IpNet;
use random::random;
use tidebin::limit::{CanonicalIp, ClientKeyHasher, NetworkPolicies};

const NETWORKS: u64 = 100_000;
/// The number of addresses. Together with the tree of networks, they exceed the caches of a core.
const ADDRESSES: u64 = 1 << 20;

fn main() {
    let keys = ClientKeyHasher::new([7; 16]);
    let (v4, v6) = (list(v4_network), list(v6_network));
    let v4_addresses = addresses(v4_network, |seed| Ipv4Addr::from_bits(upper(seed)).into());
    let v6_addresses = addresses(v6_network, |seed| Ipv6Addr::from_bits(unicast(seed)).into());
    for (family, list, asked) in [("IPv4", &v4, &v4_addresses), ("IPv6", &v6, &v6_addresses)] {
        let start = Instant::now();
        let networks: NetworkPolicies = list.parse().unwrap();
        let parsing = start.elapsed().as_secs_f64() * 1e3;
        println!(
            "{family}: {} networks parsed in {parsing:.0} ms",
            networks.len()
        );
        let none = NetworkPolicies::default();
        timed("policy of an address", asked, |address| {
            _ = black_box(networks.policy_of(Some(address)));
        });
        timed("policy of an address, empty list", asked, |address| {
            _ = black_box(none.policy_of(Some(address)));
        });
        timed("both hashes of a client", asked, |address| {
            _ = black_box(keys.key_of(Some(address)));
        });
    }
}

fn upper(seed: u64) -> u32 {
    u32::try_from(random(seed) >> 32).unwrap()
}

/// An address in `2000::/4`, the range of clients.
fn unicast(seed: u64) -> u128 {
    let bits = (u128::from(random(seed)) << 64) | u128::from(random(seed + (1 << 40)));
    (0b0010 << 124) | (bits >> 4)
}

/// A network as in block lists: a third of them are single addresses, and most of the others are /24.
fn v4_network(nth: u64) -> IpNet {
    let length = match nth % 10 {
        0..3 => 32,
        3..8 => 24,
        _ => 12 + u8::try_from(nth / 10 % 12).unwrap(),
    };
    IpNet::new(Ipv4Addr::from_bits(upper(nth)).into(), length)
        .unwrap()
        .trunc()
}

fn v6_network(nth: u64) -> IpNet {
    let length = match nth % 10 {
        0..4 => 48,
        4..8 => 64,
        _ => 28 + u8::try_from(nth / 10 % 36).unwrap(),
    };
    IpNet::new(Ipv6Addr::from_bits(unicast(nth)).into(), length)
        .unwrap()
        .trunc()
}

/// The list as text, without duplicates.
fn list(network: impl Fn(u64) -> IpNet) -> String {
    let mut seen = std::collections::HashSet::new();
    let fresh = (1..).map(network).filter(|network| seen.insert(*network));
    let mut list = String::new();
    for (network, nth) in fresh.zip(0..NETWORKS) {
        let policy = if nth % 2 == 0 { "deny" } else { "limit x10" };
        writeln!(list, "{network} {policy}").unwrap();
    }
    list
}

/// Returns addresses: half of them are random, and half are in a listed network.
fn addresses(network: impl Fn(u64) -> IpNet, anywhere: impl Fn(u64) -> IpAddr) -> Vec<CanonicalIp> {
    let inside = |seed: u64| match network(1 + random(seed) % NETWORKS) {
        IpNet::V4(network) => {
            let host = upper(seed) & network.hostmask().to_bits();
            Ipv4Addr::from_bits(network.network().to_bits() | host).into()
        }
        IpNet::V6(network) => {
            let host = unicast(seed) & network.hostmask().to_bits();
            Ipv6Addr::from_bits(network.network().to_bits() | host).into()
        }
    };
    let seeds = (1 << 50)..(1 << 50) + ADDRESSES;
    let all = seeds.map(|seed| match random(seed) % 2 {
        0 => anywhere(seed),
        _ => inside(seed),
    });
    all.map(CanonicalIp::from).collect()
}

/// Prints nanoseconds per call over all addresses: the best of nine rounds, because other programs may use the machine.
fn timed(what: &str, asked: &[CanonicalIp], mut call: impl FnMut(CanonicalIp)) {
    let rounds = (0..9).map(|_| {
        let start = Instant::now();
        asked.iter().copied().for_each(&mut call);
        start.elapsed().as_secs_f64() * 1e9 / f64::from(u32::try_from(asked.len()).unwrap())
    });
    println!("  {what}: {:.1} ns", rounds.fold(f64::INFINITY, f64::min));
}
