//! A flood of a million addresses, each in a network of its own. This test has a process of its own, because it
//! measures the memory of its process.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test that meets the unexpected should stop, and its helpers are for this binary"
)]

#[allow(
    dead_code,
    reason = "most of it is for the tests of what a client can observe"
)]
#[path = "api/client.rs"]
mod client;
#[allow(
    dead_code,
    reason = "most of it is for the tests of what a client can observe"
)]
#[path = "api/engine.rs"]
mod engine;
#[allow(
    dead_code,
    reason = "most of it is for the tests of what a client can observe"
)]
#[path = "api/folder.rs"]
mod folder;
#[allow(
    dead_code,
    reason = "most of it is for the tests of what a client can observe"
)]
#[path = "api/keep_alive.rs"]
mod keep_alive;
#[allow(
    dead_code,
    reason = "most of it is for the tests of what a client can observe"
)]
#[path = "api/openapi.rs"]
mod openapi;
#[allow(
    dead_code,
    reason = "most of it is for the tests of what a client can observe"
)]
#[path = "api/place.rs"]
mod place;
#[allow(
    dead_code,
    unused_imports,
    reason = "most of it is for the tests of what a client can observe"
)]
#[path = "api/server.rs"]
mod server;

use std::net::{IpAddr, Ipv6Addr};
use std::ops::Range;
use std::thread;

use keep_alive::KeepAlive;
use server::TestServer;
use tidebin::limit::{Action, ClientKeyHasher, LimitRequest, Multiplier, Subject};

const LIMITED: &str = "192.0.2.1";
const NEWCOMER: &str = "203.0.113.1";

/// The number of addresses that fill all entries of the tables of 32,768 clients and 8,192 networks.
const WARM_UP: u128 = 80_000;

/// The number of addresses of the flood. A request over a socket takes 0.1 ms in a debug build, so most of these
/// addresses call the server's limiter directly.
const BULK: u128 = 1_000_000;

/// The number of addresses that send requests over sockets, once before the flood and once after it.
const OVER_SOCKETS: u128 = 15_000;

/// Maximum growth of the memory in bytes, for threads and connections. An address must leave nothing in memory: 8 bytes
/// per address would be twice this maximum.
const MOST_GROWTH: usize = 4 << 20;

/// The first address of the /48 of this number.
fn address(number: u128) -> Ipv6Addr {
    Ipv6Addr::from((0x2001 << 112) | (number << 80) | 1)
}

/// Calls the server's limiter with this request once for each of these addresses.
fn ask(server: &TestServer, keys: &ClientKeyHasher, addresses: Range<u128>, ask: LimitRequest) {
    for number in addresses {
        let who = Subject {
            client: keys.key_of(Some(IpAddr::V6(address(number)).into())),
            multiplier: Multiplier::ONE,
        };
        let admitted = server.limiter.admit(server.clock.elapsed(), who, ask);
        assert!(admitted.is_ok(), "{number} is new and was refused");
    }
}

/// Sends a read over a socket for each of these addresses.
fn read(server: &TestServer, addresses: Range<u128>) {
    let request = |number| {
        let request = server.request("HEAD", "/");
        request.from(&address(number).to_string())
    };
    thread::scope(|scope| {
        for connection in 0..4 {
            let turns = addresses.clone().skip(connection).step_by(4).map(request);
            scope.spawn(move || {
                let statuses = KeepAlive::new(server.addr).send_all(turns);
                assert!(statuses.iter().all(|status| *status == 200));
            });
        }
    });
}

fn save(server: &TestServer, from: &str) -> u16 {
    let request = server.request("POST", "/").from(from).body("x");
    request.send().status
}

/// Returns the bytes of resident memory of this process.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib: usize = line
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    kib * 1024
}

#[test]
fn a_million_addresses_cost_no_memory_free_no_limited_client_and_block_no_other() {
    // There is one rate and one quota only. With every further rule, the search for an entry would take longer.
    let server = TestServer::limited(&["--limit-save", "quota 30/1d", "--limit-miss", "off"]);
    let keys = ClientKeyHasher::new([7; 16]);
    // Given a client that has reached its limit, and tables that are full
    (0..30).for_each(|_| assert_eq!(save(&server, LIMITED), 201));
    assert_eq!(save(&server, LIMITED), 429);
    let (a_read, a_save) = (
        LimitRequest::one(Action::Read),
        LimitRequest::one(Action::Save),
    );
    ask(&server, &keys, 0..WARM_UP, a_save.with_bytes(100));
    read(&server, 0..OVER_SOCKETS);
    let before = resident();
    // When a million other addresses send requests
    let (reads, saves) = (WARM_UP + BULK / 10 * 9, WARM_UP + BULK);
    ask(&server, &keys, WARM_UP..reads, a_read);
    ask(&server, &keys, reads..saves, a_save.with_bytes(100));
    read(&server, saves..saves + OVER_SOCKETS);
    // Then memory does not grow
    let growth = resident().saturating_sub(before);
    assert!(growth < MOST_GROWTH, "{growth} bytes more than {before}");
    // And every entry changed its owner, except for the entry of the limited client
    let counters = server.limiter.stats();
    for table in [counters.clients, counters.networks] {
        assert!(table.used <= table.size, "{table:?}");
        assert!(table.evicted > 900_000, "{table:?}");
    }
    assert_eq!(save(&server, LIMITED), 429);
    assert_eq!(save(&server, NEWCOMER), 201);
}
