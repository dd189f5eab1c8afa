//! Slow uploads and slow readers, and the time that the server waits for them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tidebin::clock::Clock;
use tidebin::overload::Priority;

use crate::client::{Response, connect};
use crate::folder::Folder;
use crate::place::Place;
use crate::server::{Saved, TestServer};

/// A server that trusts the client addresses in the requests of the tests.
fn trusting(flags: &[&str]) -> TestServer {
    TestServer::with(&[&["--trusted-proxies", "127.0.0.1"], flags].concat())
}

/// The address of a client in a network of its own.
fn address_of(number: usize) -> String {
    format!("10.{}.{}.1", number / 256, number % 256)
}

/// Sends the head of a save, and waits until the server expects its body.
fn begin(server: &TestServer, framing: &str) -> TcpStream {
    begin_from(server, "127.0.0.1", framing)
}

/// Does the same as [`begin`], as the client at this address.
fn begin_from(server: &TestServer, address: &str, framing: &str) -> TcpStream {
    let before = server.overload.load().receiving;
    let mut stream = connect(server.addr);
    let head = format!(
        "PUT / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Forwarded-For: {address}\r\n{framing}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    server.until("received", |load| load.receiving == before + 1);
    stream
}

const CHUNKED: &str = "Transfer-Encoding: chunked";

fn declared(length: usize) -> String {
    format!("Content-Length: {length}")
}

/// Sends these bytes, and waits until the server has received this many bytes of content.
fn send(server: &TestServer, stream: &mut TcpStream, bytes: &[u8], content: u64) {
    let before = server.overload.load().moved;
    stream.write_all(bytes).unwrap();
    server.until("moved", |load| load.moved == before + content);
}

fn advance(server: &TestServer, seconds: u64) {
    server.advance(Duration::from_secs(seconds));
}

#[test]
fn a_declared_body_that_stalls_for_15_seconds_is_refused_and_nothing_is_saved() {
    let server = TestServer::start();
    let mut stream = begin(&server, &declared(100_000));
    send(&server, &mut stream, b"hello", 5);
    advance(&server, 15);
    let answer = Response::read(&mut stream, false);
    assert_eq!(answer.status, 408);
    assert!(answer.sentence().contains("too slow"));
    server.until_all_have_ended();
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_body_that_stalls_behind_a_request_that_came_with_its_head_is_refused_as_well() {
    let server = TestServer::start();
    let mut stream = connect(server.addr);
    let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n";
    let both = format!("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n{head}");
    stream.write_all(both.as_bytes()).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 200);
    server.until("received", |load| load.receiving == 1);
    advance(&server, 15);
    assert_eq!(Response::read(&mut stream, false).status, 408);
}

#[test]
fn a_small_body_that_came_with_its_head_is_never_counted_as_being_received() {
    let server = TestServer::start();
    let before = server.overload.load().moved;
    server.save("x".repeat(1024));
    assert_eq!(server.overload.load().moved, before);
}

#[test]
fn a_declared_body_at_one_kibibyte_per_second_is_received_at_any_length() {
    let server = TestServer::start();
    let part = [b'x'; 15 * 1024];
    let mut stream = begin(&server, &declared(8 * part.len()));
    for _ in 0..7 {
        send(&server, &mut stream, &part, 15 * 1024);
        advance(&server, 15);
    }
    stream.write_all(&part).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 201);
}

#[test]
fn a_pipe_that_pauses_for_minutes_still_saves() {
    let server = TestServer::start();
    let mut stream = begin(&server, CHUNKED);
    for chunk in [b"4\r\nmake\r\n", b"4\r\nmore\r\n"] {
        send(&server, &mut stream, chunk, 4);
        advance(&server, 599);
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let answer = Response::read(&mut stream, false);
    assert_eq!(answer.status, 201);
    assert_eq!(server.get(&Saved::of(&answer).path).body, b"makemore");
}

#[test]
fn a_pipe_that_pauses_for_longer_is_refused() {
    let server = TestServer::start();
    let mut stream = begin(&server, CHUNKED);
    send(&server, &mut stream, b"4\r\nmake\r\n", 4);
    advance(&server, 15);
    server.until("patient", |load| load.paused == 1);
    advance(&server, 600);
    assert_eq!(Response::read(&mut stream, false).status, 408);
    server.until_all_have_ended();
}

#[test]
fn a_client_may_pause_four_pipes_and_the_fifth_is_refused() {
    let server = TestServer::start();
    let mut pipes: Vec<TcpStream> = (0..4).map(|_| begin(&server, CHUNKED)).collect();
    advance(&server, 15);
    server.until("patient", |load| load.paused == 4);
    let mut fifth = begin(&server, CHUNKED);
    advance(&server, 15);
    let answer = Response::read(&mut fifth, false);
    assert_eq!((answer.status, answer.header("retry-after")), (429, None));
    let sentence = answer.sentence();
    assert!(sentence.contains("limit: 4 per client") && sentence.contains("Finish one"));
    for pipe in &mut pipes {
        pipe.write_all(b"1\r\nx\r\n0\r\n\r\n").unwrap();
        assert_eq!(Response::read(pipe, false).status, 201);
    }
}

#[test]
fn uploads_through_a_proxy_count_as_connections_of_their_client() {
    // Given a proxy, and a network that has a third of all connections through it
    let server = TestServer::with_connections(24, &["--trusted-proxies", "127.0.0.1"]);
    let mut uploads: Vec<TcpStream> = (1..9)
        .map(|host| begin_from(&server, &format!("192.0.2.{host}"), CHUNKED))
        .collect();
    // Then it gets no more, and another network does
    let mut ninth = unsent_body(&server, "192.0.2.9");
    assert_eq!(Response::read(&mut ninth, false).status, 429);
    uploads.push(begin_from(&server, "198.51.100.1", CHUNKED));
    for stream in &mut uploads {
        stream.write_all(b"1\r\nx\r\n0\r\n\r\n").unwrap();
        assert_eq!(Response::read(stream, false).status, 201);
    }
}

/// Requests a large paste as the client at this address, and reads only the first byte of the response. The server
/// sends this byte when it has admitted the request.
fn reader_that_stops(server: &TestServer, address: &str, path: &str) -> TcpStream {
    let mut stream = connect(server.addr);
    let request = server.request("GET", path).from(address);
    stream.write_all(&request.bytes()).unwrap();
    stream.read_exact(&mut [0]).unwrap();
    stream
}

/// Returns whether a response was cut off: its connection ended early or with a reset.
fn was_cut(stream: &mut TcpStream, whole: usize) -> bool {
    let mut read = Vec::new();
    let _ = stream.read_to_end(&mut read);
    read.len() < whole
}

/// More than the buffers of a connection hold.
const LARGE: usize = 15 << 20;

/// Saves a paste of [`LARGE`] bytes, and waits until the bytes of the upload are released.
fn save_large(server: &TestServer) -> Saved {
    let saved = server.save(vec![b'x'; LARGE]);
    server.until("saved", |load| load.transfers == 0 && load.bytes == 0);
    saved
}

/// The flags of a server that accepts pastes of [`LARGE`] bytes.
const FOR_LARGE: [&str; 2] = ["--max-paste-size", "16MiB"];

/// A server in memory with two readers of a paste that hold nearly all bytes and have stopped reading.
fn with_stopped_readers() -> (TestServer, Saved, Vec<TcpStream>) {
    stopped_readers_at(Place::Memory, "128MiB")
}

fn stopped_readers_at(place: Place, store: &str) -> (TestServer, Saved, Vec<TcpStream>) {
    let flags = ["--trusted-proxies", "127.0.0.1", "--max-in-flight", "32MiB"];
    let flags = [
        &FOR_LARGE[..],
        &flags,
        &["--max-store-size", store, "--max-disk", "256MiB"],
    ]
    .concat();
    let server = TestServer::at(place, &Clock::manual(), &flags);
    let saved = save_large(&server);
    let readers = (0..2)
        .map(|number| reader_that_stops(&server, &address_of(number), &saved.path))
        .collect();
    // After 600 seconds both readers count as slow, however many bytes the buffers of their connections hold.
    advance(&server, 600);
    (server, saved, readers)
}

/// Saves a large paste as another client.
fn save_beside(server: &TestServer) {
    let save = server.request("POST", "/").body(vec![b'y'; LARGE]);
    let saved = save.from(&address_of(2)).send();
    assert_eq!(saved.status, 201, "{saved:?}");
    assert!(server.overload.load().cancelled > 0);
}

#[test]
fn a_stopped_reader_gives_its_bytes_to_others_and_can_still_read_a_paste_in_memory() {
    let (server, saved, mut readers) = with_stopped_readers();
    let get = server.request("GET", &saved.path).from(&address_of(3));
    assert_eq!(get.send().body.len(), LARGE);
    assert_eq!(server.overload.load().cancelled, 0, "the store lends them");
    save_beside(&server);
    assert!(readers.iter_mut().all(|it| !was_cut(it, LARGE)));
    server.until_all_have_ended();
}

#[test]
fn a_stopped_reader_gets_the_rest_of_a_paste_that_left_memory_from_the_disk() {
    // Given a store whose memory has room for two of three pastes, and readers of the first
    let place = Place::Directory(Folder::new("data"));
    let (server, _, mut readers) = stopped_readers_at(place, "43MiB");
    // When their bytes are needed for two others, which take its place
    save_beside(&server);
    save_beside(&server);
    let stats = server.store.stats(server.clock.timestamp());
    assert_eq!(stats.memory.used.pastes, 2);
    // Then they get everything all the same
    assert!(readers.iter_mut().all(|it| !was_cut(it, LARGE)));
    server.until_all_have_ended();
}

#[test]
fn a_stopped_reader_is_cut_off_when_its_bytes_are_needed_and_its_paste_is_gone() {
    let (server, saved, mut readers) = with_stopped_readers();
    let delete = server.request("DELETE", &saved.path);
    assert_eq!(delete.header("X-Token", &saved.token).send().status, 200);
    save_beside(&server);
    let cut = readers
        .iter_mut()
        .filter_map(|it| was_cut(it, LARGE).then_some(()));
    assert_eq!(cut.count() as u64, server.overload.load().cancelled);
    server.until_all_have_ended();
}

#[test]
fn an_innocent_pipe_survives_forty_slow_readers_and_a_hundred_stalled_bodies() {
    let server = trusting(&[&FOR_LARGE[..], &["--max-in-flight", "32MiB"]].concat());
    let saved = save_large(&server);
    let mut pipe = begin_from(&server, &address_of(0), CHUNKED);
    send(&server, &mut pipe, b"4\r\nmake\r\n", 4);
    advance(&server, 10);
    let get = server.request("GET", &saved.path).bytes();
    let mut flood = Vec::new();
    for turn in 0..40 {
        let mut stream = connect(server.addr);
        let address = format!("X-Forwarded-For: {}\r\n\r\n", address_of(1 + turn % 4));
        stream.write_all(&get[..get.len() - 2]).unwrap();
        stream.write_all(address.as_bytes()).unwrap();
        flood.push(stream);
    }
    let bodies: Vec<TcpStream> = (0..100)
        .map(|turn| unsent_body(&server, &address_of(1 + turn % 4)))
        .collect();
    for _ in 0..10 {
        advance(&server, 1);
    }
    pipe.write_all(b"4\r\nmore\r\n0\r\n\r\n").unwrap();
    let answer = Response::read(&mut pipe, false);
    assert_eq!(answer.status, 201);
    drop((flood, bodies));
    server.until_all_have_ended();
}

/// Sends the head of a save, but no body.
fn unsent_body(server: &TestServer, address: &str) -> TcpStream {
    let mut stream = connect(server.addr);
    let head = format!(
        "POST / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: {address}\r\nContent-Length: 9\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

#[test]
fn a_client_that_reads_none_of_forty_large_answers_blocks_no_other_client() {
    let server = trusting(&[&FOR_LARGE[..], &["--max-in-flight", "32MiB"]].concat());
    let saved = save_large(&server);
    let get = server.request("GET", &saved.path);
    let readers: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = connect(server.addr);
            let request = get.clone().from(&address_of(1));
            stream.write_all(&request.bytes()).unwrap();
            stream
        })
        .collect();
    server.until("some wait", |load| load.transfers >= 31);
    for _ in 0..3 {
        let answer = get.clone().from(&address_of(2)).send();
        assert_eq!((answer.status, answer.body.len()), (200, LARGE));
        server.until("sent", |load| load.bytes <= 16 << 20);
    }
    drop(readers);
    server.until_all_have_ended();
}

#[test]
fn renders_are_shed_first_then_saves_then_reads_and_all_recover() {
    let server = TestServer::start();
    let saved = server.save("line\n".repeat(8000));
    let requests = [
        server
            .request("GET", &saved.path)
            .header("Accept", "text/html"),
        server.request("POST", "/").body(vec![b'x'; 300_000]),
        server.request("GET", &format!("/api/v1/pastes{}", saved.path)),
    ];
    let mut taken = Vec::new();
    for (shed, class) in Priority::ALL.into_iter().enumerate() {
        taken.extend(server.take_bytes(class, 16 << 10));
        for (index, request) in requests.iter().enumerate() {
            let answer = server.patiently(request);
            assert_eq!(answer.status == 503, index <= shed, "{answer:?}");
            let retry = (index <= shed).then_some("2");
            assert_eq!(answer.header("retry-after"), retry);
        }
        server.until("given back", |load| load.transfers == taken.len());
    }
    assert_eq!(server.overload.load().shed, [3, 2, 1]);
    drop(taken);
    for request in &requests {
        assert!(server.patiently(request).status < 300);
    }
    server.until_all_have_ended();
}
