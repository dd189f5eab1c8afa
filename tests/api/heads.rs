//! Request heads around the largest size that the server accepts.

use std::io::Write;
use std::net::{Shutdown, TcpStream};

use rustix::process::Signal;

use crate::client::{Response, connect};
use crate::process::Running;
use crate::server::{Saved, TestServer};

/// The largest accepted head in bytes, its empty line included.
const LARGEST: usize = 60 * 1024;

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";

/// A head of this many bytes.
fn head_of(length: usize) -> String {
    let (start, end) = ("GET /healthz HTTP/1.1\r\nHost: h\r\nX-Fill: ", "\r\n\r\n");
    let fill = "a".repeat(length - start.len() - end.len());
    [start, &fill, end].concat()
}

/// A head with a header whose name has this many bytes.
fn head_with_name_of(length: usize) -> String {
    let name = "a".repeat(length);
    format!("GET /healthz HTTP/1.1\r\nHost: h\r\n{name}: x\r\n\r\n")
}

/// A save of this many bytes without a line end, on a persistent connection.
fn save_of(length: usize, query: &str) -> String {
    let body = "x".repeat(length);
    format!("POST /{query} HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// Sends these bytes in pieces of this size.
fn send(stream: &mut TcpStream, bytes: &str, piece: usize) {
    for piece in bytes.as_bytes().chunks(piece) {
        stream.write_all(piece).expect("it takes what is sent");
    }
}

fn status(stream: &mut TcpStream) -> u16 {
    Response::read(stream, false).status
}

/// Reads the error response to a head. Asserts that the connection ends afterwards.
#[track_caller]
fn refusal(mut stream: TcpStream) {
    let answer = Response::read(&mut stream, false);
    assert_eq!(answer.status, 431, "{answer:?}");
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(answer.sentence().contains("60 KiB"), "{answer:?}");
    let _ = stream.shutdown(Shutdown::Write);
    let read = std::io::copy(&mut stream, &mut std::io::sink());
    assert_eq!(read.expect("closed, not reset"), 0);
}

#[test]
fn a_head_of_60_kib_is_answered_and_one_of_a_byte_more_is_431() {
    let server = TestServer::start();
    for piece in [usize::MAX, 1000, 8191] {
        let mut stream = connect(server.addr);
        for length in [LARGEST, 1000, LARGEST] {
            send(&mut stream, &head_of(length), piece);
            assert_eq!(status(&mut stream), 200);
        }
        send(&mut stream, &head_of(LARGEST + 1), piece);
        refusal(stream);
        let mut first = connect(server.addr);
        send(&mut first, &head_of(LARGEST + 1), piece);
        refusal(first);
    }
}

#[test]
fn a_long_name_of_a_header_is_431_and_stops_nothing_else() {
    let running = Running::start(&["--log", "info"]);
    for length in [65_535, 65_536, 100_000, 1_000_000] {
        for piece in [usize::MAX, 5000] {
            for before in ["", HEALTH] {
                let mut stream = connect(running.addr());
                let bytes = [before, &head_with_name_of(length)].concat();
                send(&mut stream, &bytes, piece);
                if !before.is_empty() {
                    assert_eq!(status(&mut stream), 200);
                }
                refusal(stream);
                assert_eq!(running.request("GET", "/healthz").send().status, 200);
            }
        }
    }
    running.send(Signal::TERM);
    let (code, log) = running.wait();
    assert_eq!((code, log.contains("a panic")), (Some(0), false), "{log}");
}

#[test]
fn a_long_name_behind_a_body_is_431_however_they_come() {
    let server = TestServer::start();
    for (length, query, expected) in [
        (1, "", 201),
        (50_000, "", 201),
        (500_000, "", 201),
        (4000, "?expires=soon", 400),
    ] {
        for piece in [usize::MAX, 5000, 60_000] {
            let mut stream = connect(server.addr);
            let bytes = [save_of(length, query), head_with_name_of(70_000)].concat();
            send(&mut stream, &bytes, piece);
            assert_eq!(status(&mut stream), expected, "{length} {piece}");
            refusal(stream);
        }
    }
}

#[test]
fn what_follows_the_last_response_of_a_connection_gets_no_further_one() {
    let server = TestServer::start();
    for (body, rest) in [(100_000, "x".repeat(100_000)), (4, HEALTH.to_owned())] {
        let mut stream = connect(server.addr);
        let head =
            format!("POST /robots.txt HTTP/1.1\r\nHost: h\r\nContent-Length: {body}\r\n\r\n");
        let close = head.replace("Host", "Connection: close\r\nHost");
        let bytes = [&close, &"x".repeat(body), &rest]
            .map(String::as_str)
            .concat();
        send(&mut stream, &bytes, usize::MAX);
        let _ = stream.shutdown(Shutdown::Write);
        assert_eq!(status(&mut stream), 405);
        let further = std::io::copy(&mut stream, &mut std::io::sink());
        assert_eq!(further.expect("closed, not reset"), 0);
    }
}

#[test]
fn a_head_behind_a_body_may_be_as_large_as_any() {
    let server = TestServer::start();
    for (length, query, expected) in [
        (59_000, "", 201),
        (61_000, "", 201),
        (900_000, "", 201),
        // A rejected request has to be sent whole at once. Otherwise the server closes the connection.
        (4000, "?expires=soon", 400),
    ] {
        let mut stream = connect(server.addr);
        for _ in 0..2 {
            send(&mut stream, &save_of(length, query), usize::MAX);
            assert_eq!(status(&mut stream), expected);
            send(&mut stream, &head_of(LARGEST - 1000), usize::MAX);
            assert_eq!(status(&mut stream), 200, "{length} {query}");
        }
    }
}

#[test]
fn chunk_extensions_and_trailers_may_be_long() {
    let server = TestServer::start();
    let trailer = "a".repeat(100_000);
    let mut stream = connect(server.addr);
    let head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    let bytes = format!("{head}1;{trailer}\r\nx\r\n0\r\n{trailer}: x\r\n\r\n");
    send(&mut stream, &bytes, usize::MAX);
    let saved = Saved::of(&Response::read(&mut stream, false));
    assert_eq!(server.get(&saved.raw()).text(), "x");
}

#[test]
fn a_body_that_consists_mostly_of_chunk_framing_is_413_before_its_end() {
    let server = TestServer::start();
    let head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    let extension = format!("1;{}\r\nx\r\n", "a".repeat(8 * 1024));
    let trailer = format!("a: {}\r\n", "a".repeat(8 * 1024));
    let zeros = format!("{}1\r\nx\r\n", "0".repeat(8 * 1024));
    for (start, framing) in [
        ("", extension.as_str()),
        ("1\r\nx\r\n0\r\n", trailer.as_str()),
        ("", zeros.as_str()),
    ] {
        let mut stream = connect(server.addr);
        let framing = framing.repeat(64);
        send(&mut stream, &format!("{head}{start}{framing}"), usize::MAX);
        let response = Response::read(&mut stream, false);
        assert_eq!(response.status, 413, "{framing:.9}");
        assert_eq!(server.store.occupancy().pastes, 0, "{framing:.9}");
    }
}

#[test]
fn small_chunks_are_saved_although_their_framing_is_larger() {
    let server = TestServer::start();
    let head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = "1\r\nx\r\n".repeat(200_000);
    let mut stream = connect(server.addr);
    send(&mut stream, &format!("{head}{chunks}0\r\n\r\n"), usize::MAX);
    let saved = Saved::of(&Response::read(&mut stream, false));
    assert_eq!(server.get(&saved.raw()).body.len(), 200_000);
}

#[test]
fn a_head_that_is_too_large_counts_as_a_read_of_its_client() {
    let rules = ["--limit-read", "rate 1/60s burst 2"];
    let trusted = ["--trusted-proxies", "127.0.0.1"];
    for (flags, expected) in [
        (&rules[..], 429),
        (&[rules, trusted].concat()[..], 200),
        (&[rules, ["--networks", "127.0.0.1 allow"]].concat(), 200),
    ] {
        let server = TestServer::with(flags);
        for _ in 0..2 {
            let mut stream = connect(server.addr);
            send(&mut stream, &head_of(LARGEST + 1), usize::MAX);
            refusal(stream);
        }
        assert_eq!(server.get("/help").status, expected, "{flags:?}");
    }
}
