//! Clients that are slow, in either direction, and how long they are waited for.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::client::{Response, connect};
use crate::server::{Saved, TestServer};

/// A save whose head was sent and whose body is being waited for.
fn begin(server: &TestServer, framing: &str) -> TcpStream {
    let before = server.overload.load().receiving;
    let mut stream = connect(server.addr);
    let head = format!("PUT / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{framing}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    server.until("received", |load| load.receiving == before + 1);
    stream
}

const CHUNKED: &str = "Transfer-Encoding: chunked";

fn declared(length: usize) -> String {
    format!("Content-Length: {length}")
}

/// Sends these bytes and waits until the server has those that are content.
fn send(server: &TestServer, stream: &mut TcpStream, bytes: &[u8], content: u64) {
    let before = server.overload.load().moved;
    stream.write_all(bytes).unwrap();
    server.until("moved", |load| load.moved == before + content);
}

fn advance(server: &TestServer, seconds: u64) {
    server.advance(Duration::from_secs(seconds));
}

#[test]
fn a_declared_body_that_stalls_is_refused_after_fifteen_seconds_and_nothing_is_kept() {
    let server = TestServer::start();
    let mut stream = begin(&server, &declared(100_000));
    send(&server, &mut stream, b"hello", 5);
    advance(&server, 15);
    let answer = Response::read(&mut stream, false);
    assert_eq!(answer.status, 408);
    assert!(answer.sentence().contains("too slowly"));
    server.until_all_have_ended();
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_declared_body_of_a_kibibyte_a_second_is_waited_for_however_long_it_is() {
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
    server.until("patient", |load| load.patient == 1);
    advance(&server, 600);
    assert_eq!(Response::read(&mut stream, false).status, 408);
    server.until_all_have_ended();
}

#[test]
fn a_client_has_four_pipes_that_pause_and_the_fifth_is_refused() {
    let server = TestServer::start();
    let mut pipes: Vec<TcpStream> = (0..4).map(|_| begin(&server, CHUNKED)).collect();
    advance(&server, 15);
    server.until("patient", |load| load.patient == 4);
    let mut fifth = begin(&server, CHUNKED);
    advance(&server, 15);
    assert_eq!(Response::read(&mut fifth, false).status, 408);
    for pipe in &mut pipes {
        pipe.write_all(b"1\r\nx\r\n0\r\n\r\n").unwrap();
        assert_eq!(Response::read(pipe, false).status, 201);
    }
}

#[test]
fn two_hundred_clients_that_hang_up_in_the_middle_of_a_body_leave_nothing_behind() {
    let server = TestServer::start();
    let streams: Vec<TcpStream> = (0..200)
        .map(|turn| {
            let framing = declared(1 << 20);
            let mut stream = begin(&server, if turn % 2 == 0 { CHUNKED } else { &framing });
            let body = if turn % 2 == 0 {
                "4\r\nmake\r\n"
            } else {
                "make"
            };
            stream.write_all(body.as_bytes()).unwrap();
            stream
        })
        .collect();
    server.until("all received", |load| {
        load.receiving == 200 && load.transfers == 200
    });
    drop(streams);
    server.until("all given back", |load| {
        load.receiving == 0 && load.transfers == 0 && load.bytes == 0
    });
    assert_eq!(server.store.occupancy().pastes, 0);
}

/// A reader that asks for a paste of a mebibyte and then reads nothing.
fn reader_that_stops(server: &TestServer, path: &str) -> TcpStream {
    let before = server.overload.load().bytes;
    let mut stream = connect(server.addr);
    stream
        .write_all(&server.request("GET", path).bytes())
        .unwrap();
    server.until("sent", |load| load.bytes > before);
    stream
}

#[test]
fn a_reader_that_stops_reading_is_cut_off_when_its_room_is_needed_and_not_before() {
    let server = TestServer::with(&["--max-paste-size", "16MiB", "--max-in-flight", "32MiB"]);
    // More than the buffers of a connection hold.
    let saved = server.save(vec![b'x'; 15 << 20]);
    let mut slow: Vec<TcpStream> = (0..2)
        .map(|_| reader_that_stops(&server, &saved.path))
        .collect();
    advance(&server, 60);
    server.until("both wait", |load| load.transfers == 2);
    assert_eq!(server.get(&saved.path).body.len(), 15 << 20);
    let mut cut = 0;
    for stream in &mut slow {
        let mut read = Vec::new();
        // A connection that is cut off ends early, or with a reset.
        let _ = stream.read_to_end(&mut read);
        cut += usize::from(read.len() < 15 << 20);
    }
    assert_eq!(cut, 1);
    server.until_all_have_ended();
}
