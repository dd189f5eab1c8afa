//! A flood of a million addresses, each in a network of its own. Alone in its process, for it looks at how much memory
//! that has.
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
#[path = "api/keep_alive.rs"]
mod keep_alive;
#[allow(
    dead_code,
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

/// Addresses after which the tables of 32,768 clients and 8,192 networks have an owner for every entry, and each entry
/// its windows.
const WARM_UP: u128 = 80_000;

/// Addresses after that; a request over a socket takes a debug build a tenth of a millisecond, so most of them ask the
/// server's limiter without one.
const BULK: u128 = 1_000_000;

/// Addresses that ask over sockets, before the bulk and after it.
const OVER_SOCKETS: u128 = 15_000;

/// What an address may leave behind is nothing; a word of it each would be twice this. The rest is for what a thread or
/// a connection takes once.
const MOST_GROWTH: usize = 4 << 20;

/// The first address of the /48 of this number.
fn address(number: u128) -> Ipv6Addr {
    Ipv6Addr::from((0x2001 << 112) | (number << 80) | 1)
}

/// Each of these asks the server's limiter for this.
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

/// Each of these reads over a socket.
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

/// Bytes of memory that this process has.
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
    // A rate and a quota: every further rule makes a newcomer's search for a place longer
    let server = TestServer::limited(&["--limit-save", "quota 30/1d", "--limit-miss", "off"]);
    let keys = ClientKeyHasher::new([7; 16]);
    // Given a client that is limited, and tables that are full
    (0..30).for_each(|_| assert_eq!(save(&server, LIMITED), 201));
    assert_eq!(save(&server, LIMITED), 429);
    let (a_read, a_save) = (
        LimitRequest::one(Action::Read),
        LimitRequest::one(Action::Save),
    );
    ask(&server, &keys, 0..WARM_UP, a_save.with_bytes(100));
    read(&server, 0..OVER_SOCKETS);
    let before = resident();
    // When a million other addresses come
    let (reads, saves) = (WARM_UP + BULK / 10 * 9, WARM_UP + BULK);
    ask(&server, &keys, WARM_UP..reads, a_read);
    ask(&server, &keys, reads..saves, a_save.with_bytes(100));
    read(&server, saves..saves + OVER_SOCKETS);
    // Then memory is what it was
    let growth = resident().saturating_sub(before);
    assert!(growth < MOST_GROWTH, "{growth} bytes more than {before}");
    // And every entry was somebody else's before, but not that of the limited client
    let counters = server.limiter.stats();
    for table in [counters.clients, counters.networks] {
        assert!(table.used <= table.size, "{table:?}");
        assert!(table.evicted > 900_000, "{table:?}");
    }
    assert_eq!(save(&server, LIMITED), 429);
    assert_eq!(save(&server, NEWCOMER), 201);
}
