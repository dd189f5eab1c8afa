//! Attacks on room: answers that nobody reads, bodies that do not end, and who is turned away first when it is short.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use tidebin::limit::Class;

use super::{get, save, saved, until_turned_away};
use crate::client::{Request, connect};
use crate::server::TestServer;

const MIB: usize = 1 << 20;

const NEWCOMER: &str = "203.0.113.1";

/// More than the buffers of a connection on this machine hold: 4 MiB to send and what nobody reads.
const LARGE: usize = 6 * MIB;

/// Sends this and leaves the answer unread, or the body unfinished; returns when so many bytes more are counted.
fn hold(server: &TestServer, request: &[u8], counted: usize) -> TcpStream {
    let before = server.overload.load().bytes;
    let mut stream = connect(server.addr);
    stream.write_all(request).unwrap();
    server.until("counted", |load| load.bytes >= before + counted);
    stream
}

#[test]
fn eight_readers_that_stop_pin_their_bytes_and_a_newcomer_is_served_large_answers_all_the_same() {
    const SIZE: usize = 15 * MIB;
    let server = TestServer::unlimited(&["--max-paste-size", "16MiB", "--max-in-flight", "128MiB"]);
    let path = server.save(vec![b'x'; SIZE]).path;
    let _readers: Vec<TcpStream> = (0..8)
        .map(|reader| {
            let request = server.request("GET", &path);
            hold(
                &server,
                &request.from(&format!("192.0.2.{reader}")).bytes(),
                SIZE,
            )
        })
        .collect();
    assert!(server.overload.load().bytes >= 8 * SIZE);
    // Once they have stood still for five seconds, the clock stands too
    server.advance(Duration::from_secs(5));
    for _ in 0..5 {
        assert_eq!(get(&server, NEWCOMER, &path).body.len(), SIZE);
        // Then one of them has made room, and no more than one
        server.until("sent", |load| load.bytes == 7 * SIZE);
    }
}

/// The answer to a request that waits in vain.
#[track_caller]
fn turned_away(server: &TestServer, class: Class, request: Request) {
    let sent = thread::spawn(move || request.send());
    if class == Class::Render {
        // It waits for room once it is made, which takes a while.
        server.until("being made", |load| load.rendering > 0);
        server.until("made", |load| load.rendering == 0);
    }
    until_turned_away(server, class);
    let answer = sent.join().unwrap();
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("2"))
    );
}

#[test]
fn when_room_runs_short_renders_are_turned_away_first_then_saves_then_reads_and_health_never() {
    // Given room of which three fifths are for renders, and four for renders and saves; and nobody slow enough to go
    let server = TestServer::unlimited(&["--max-paste-size", "8MiB", "--max-in-flight", "50MiB"]);
    let bytes = saved(&server, NEWCOMER, vec![b'x'; LARGE]).raw();
    // Each of its characters is five of HTML.
    let page = saved(&server, NEWCOMER, vec![b'<'; 5 * MIB / 4]).path;
    let browse = || server.request("GET", &page).header("Accept", "text/html");
    let read = || server.request("GET", &bytes);
    let large_save = || server.request("POST", "/").body(vec![b'x'; 4 * MIB]);
    let mut held: Vec<TcpStream> = Vec::new();
    // When four pages that nobody reads have taken 25 of 30 MiB, renders are turned away and nobody else
    for _ in 0..4 {
        held.push(hold(&server, &browse().bytes(), LARGE));
    }
    turned_away(&server, Class::Render, browse());
    assert_eq!(large_save().send().status, 201);
    assert_eq!(read().send().body.len(), LARGE);
    // When three bodies that do not end have taken 12 of 15 MiB more, saves are too
    for _ in 0..3 {
        let whole = large_save().bytes();
        held.push(hold(&server, &whole[..whole.len() - 1], 4 * MIB - 1));
    }
    turned_away(&server, Class::Save, large_save());
    assert_eq!(read().send().body.len(), LARGE);
    // When answers that nobody reads have taken the rest, so are reads
    for _ in 0..2 {
        held.push(hold(&server, &read().bytes(), LARGE));
    }
    turned_away(&server, Class::Read, read());
    // But never who asks for health, or for what is small
    assert_eq!(server.get("/healthz").text(), "ok\n");
    let small = save(&server, NEWCOMER, "small");
    assert_eq!(small.status, 201);
    // And when they are gone, everybody is served again
    drop(held);
    server.until("idle", |load| load.bytes == 0 && load.transfers == 0);
    assert_eq!(browse().send().status, 200);
    assert_eq!(large_save().send().status, 201);
    assert_eq!(read().send().body.len(), LARGE);
    assert_eq!(server.overload.load().shed, [1, 1, 1]);
}
