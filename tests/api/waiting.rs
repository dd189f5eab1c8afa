//! Waiting for bytes of the budget: the length of a wait, and the events that end it early.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use tidebin::overload::Priority;

use crate::client::{Response, connect};
use crate::server::TestServer;

/// The smallest budget that a server starts with. Saves get 819 KiB of the budget, and one client gets 256 KiB.
const SMALL: [&str; 4] = ["--max-in-flight", "1MiB", "--max-paste-size", "512KiB"];

const KIB: usize = 1024;

/// The bytes reserved for a body before any of it has arrived.
const FIRST: usize = 8 * KIB;

/// Sends the head of a save by this client, with a body of this length.
fn begin(server: &TestServer, from: &str, length: usize) -> TcpStream {
    let head = server.request("PUT", "/").from(from);
    let head = head.header("Content-Length", length.to_string());
    let mut stream = connect(server.addr);
    stream.write_all(&head.bytes()).unwrap();
    stream
}

/// Does the same as [`begin`], and sends all bytes of the body except one, so that bytes for all of it are reserved.
fn hold(server: &TestServer, from: &str, length: usize) -> TcpStream {
    let before = server.overload.load();
    let mut stream = begin(server, from, length);
    server.until("started", |load| load.bytes == before.bytes + FIRST);
    send(server, &mut stream, 1);
    stream.write_all(&vec![b'x'; length - 2]).unwrap();
    // Each growth of the buffer is rounded up to whole KiB
    server.until("counted", |load| load.bytes >= before.bytes + length);
    stream
}

/// Sends this many bytes and waits until they have arrived.
fn send(server: &TestServer, stream: &mut TcpStream, part: usize) {
    let before = server.overload.load().moved;
    stream.write_all(&vec![b'x'; part]).unwrap();
    server.until("moved", |load| load.moved == before + part as u64);
}

/// Sends enough that the server needs a buffer for the whole body. The bytes are sent in several pieces, because a
/// single piece would need no buffer.
fn want_all(server: &TestServer, stream: &mut TcpStream, length: usize) {
    send(server, stream, 1);
    send(server, stream, length / 2);
}

/// Advances the clock in small steps that the server can follow.
fn wait(server: &TestServer, millis: u64) {
    let end = server.clock.elapsed() + Duration::from_millis(millis);
    server.advance_until(Duration::from_millis(10), || server.clock.elapsed() == end);
}

#[test]
fn a_waiting_client_that_is_preempted_is_answered_at_once_and_takes_no_bytes() {
    let server = TestServer::unlimited(&SMALL);
    let _others: Vec<TcpStream> = (0..15)
        .map(|other| hold(&server, &format!("10.{other}.0.1"), 51 * KIB))
        .collect();
    // Given a client that waits for more bytes than are left, and uses more than any other client
    let mut heaviest = begin(&server, "192.0.2.1", 64 * KIB);
    server.until("started", |load| load.receiving == 16);
    want_all(&server, &mut heaviest, 64 * KIB);
    // When a client that uses less waits too, the first one is rejected at once: the clock stands still
    let mut lighter = begin(&server, "203.0.113.1", 51 * KIB);
    server.until("started", |load| load.receiving == 17);
    want_all(&server, &mut lighter, 51 * KIB);
    let answer = Response::read(&mut heaviest, false);
    assert_eq!(answer.status, 503);
    server.until("counted", |load| load.bytes == 16 * 51 * KIB);
    lighter.write_all(&vec![b'x'; 51 * KIB / 2 - 1]).unwrap();
    assert_eq!(Response::read(&mut lighter, false).status, 201);
    assert_eq!(server.overload.load().cancelled, 1);
}

#[test]
fn waiting_for_a_share_and_then_for_bytes_takes_no_longer_than_one_wait() {
    let server = TestServer::unlimited(&SMALL);
    let first = hold(&server, "192.0.2.1", 250 * KIB);
    let mut second = begin(&server, "192.0.2.1", 51 * KIB);
    server.until("waits for its share", |load| load.transfers == 2);
    wait(&server, 300);
    // The bytes are within the client's share now, but strangers that use less use up the budget
    let taken: Vec<_> = (0..1024).map(|_| server.stranger(Priority::Read)).collect();
    for (stranger, _) in &taken {
        assert!(stranger.hold(server.clock.elapsed(), KIB).is_ok());
    }
    server.until("used up", |load| load.bytes == 1024 * KIB);
    drop(first);
    wait(&server, 300);
    let answer = Response::read(&mut second, false);
    assert_eq!(answer.status, 503, "{answer:?}");
    drop(taken);
}
