//! A flood of addresses: a client that was seen leaves nothing in memory, except its entry in tables of a fixed size.

use std::ops::Range;
use std::thread;

use crate::keep_alive::KeepAlive;
use crate::process::{Running, resident_bytes};
use crate::rounds::rounds;

const LIMITED: &str = "192.0.2.1";
const NEWCOMER: &str = "203.0.113.1";

/// The addresses of a flood. Each is in a network of its own.
const FLOOD: u32 = 15_000;

/// Maximum growth of the memory in bytes per address. A pointer and a length would be more.
const MOST_GROWTH: usize = 15;

/// Sends a request from each of these addresses.
fn flood(running: &Running, addresses: Range<u32>) {
    let request = |number: u32| {
        let address = format!("2001:{:x}:{:x}::1", number >> 16, number & 0xffff);
        running.request("HEAD", "/").from(&address)
    };
    thread::scope(|scope| {
        for connection in 0..4 {
            let turns = addresses.clone().skip(connection).step_by(4).map(request);
            scope.spawn(move || {
                let statuses = KeepAlive::new(running.addr()).send_all(turns);
                assert!(statuses.iter().all(|status| *status == 200));
            });
        }
    });
}

fn save(running: &Running, from: &str) -> u16 {
    let request = running.request("POST", "/").from(from).body("x");
    request.send().status
}

#[test]
fn a_flood_of_addresses_costs_no_memory_frees_no_limited_client_and_blocks_no_other() {
    let running = Running::start(&[
        "--trusted-proxies",
        "127.0.0.1",
        "--limit-save",
        "quota 3/1d",
        "--log",
        "info,tidebin::http::log=off",
    ]);
    // Given a client that has reached its limit, and tables whose memory is in use
    (0..3).for_each(|_| assert_eq!(save(&running, LIMITED), 201));
    assert_eq!(save(&running, LIMITED), 429);
    flood(&running, 0..FLOOD);
    let before = resident_bytes(running.id());
    // When other addresses send requests
    let others = rounds(FLOOD);
    flood(&running, FLOOD..FLOOD + others);
    // Then memory does not grow
    let growth = resident_bytes(running.id()).saturating_sub(before);
    assert!(growth < MOST_GROWTH * others as usize, "{growth} bytes");
    // And the limited client is the only one that is refused
    assert_eq!(save(&running, LIMITED), 429);
    assert_eq!(save(&running, NEWCOMER), 201);
}
