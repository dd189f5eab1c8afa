//! Attacks on the store: a network that writes more than fits evicts its own pastes. The limiter is off.

use std::thread;

use super::saved;
use crate::client::Request;
use crate::keep_alive::KeepAlive;
use crate::server::{Saved, TestServer};

const MIB: usize = 1 << 20;

/// How often a flood would fill the store.
const TIMES: usize = 3;

/// The number of connections of a flood.
const CONNECTIONS: usize = 4;

fn server(mib: usize) -> TestServer {
    let size = format!("{mib}MiB");
    TestServer::unlimited(&["--max-paste-size", "64KiB", "--max-store-size", &size])
}

/// A paste of a client that has no part in the flood.
struct Bystander {
    from: String,
    saved: Saved,
    body: Vec<u8>,
}

/// Lets each of these clients save this many pastes of this size.
fn bystanders(
    server: &TestServer,
    clients: impl IntoIterator<Item = String>,
    pastes: usize,
    size: usize,
) -> Vec<Bystander> {
    let save = |(turn, from): (usize, String)| {
        let body = vec![b'a' + u8::try_from(turn % 26).unwrap(); size];
        let saved = saved(server, &from, &body);
        Bystander { from, saved, body }
    };
    let clients = clients.into_iter();
    let turns = clients.flat_map(|from| vec![from; pastes]);
    turns.enumerate().map(save).collect()
}

#[track_caller]
fn assert_all_kept(server: &TestServer, bystanders: &[Bystander]) {
    let lost = bystanders.iter().filter(|bystander| {
        let raw = server.get(&bystander.saved.raw());
        raw.status != 200 || raw.body != bystander.body
    });
    let lost: Vec<_> = lost.map(|bystander| &bystander.from).collect();
    assert!(lost.is_empty(), "these lost a paste: {lost:?}");
}

/// Saves so many pastes of this size that they add up to this many bytes. The client at `from(n)` saves the n-th paste.
/// All saves are accepted, and many of the pastes are evicted again.
fn flood(server: &TestServer, bytes: usize, size: usize, from: impl Fn(usize) -> String + Sync) {
    let pastes = bytes / size;
    let save = |n: usize| -> Request {
        let request = server.request("POST", "/").from(&from(n));
        request.body(vec![b'x'; size])
    };
    let save = &save;
    thread::scope(|scope| {
        for connection in 0..CONNECTIONS {
            scope.spawn(move || {
                let turns = (connection..pastes).step_by(CONNECTIONS).map(save);
                let statuses = KeepAlive::new(server.addr).send_all(turns);
                assert!(statuses.iter().all(|status| *status == 201));
            });
        }
    });
    let evicted = server.store.removal_counts().evicted;
    assert!(evicted > pastes as u64 / 4, "the store was never full");
    server.store.validate();
}

#[test]
fn a_network_of_thousands_of_flooding_clients_costs_no_other_network_a_paste() {
    let server = server(2);
    let near = (0..20).map(|client| format!("2001:db8:2:{client:x}::1"));
    let far = (0..20).map(|network| format!("198.51.{network}.1"));
    let bystanders = bystanders(&server, near.chain(far), 3, 2000);
    flood(&server, 2 * TIMES * MIB, 2000, |n| {
        format!("2001:db8:1:{n:x}::1")
    });
    assert_all_kept(&server, &bystanders);
}
