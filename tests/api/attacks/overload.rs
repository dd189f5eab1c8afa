//! Attacks on memory: responses that are not read and bodies that do not end. The order in which requests are rejected.

use std::io::Write;
use std::net::TcpStream;

use crate::client::{connect, wait_for};
use crate::server::TestServer;

const MIB: usize = 1 << 20;

const NEWCOMER: &str = "203.0.113.1";

/// Sends the request and reads no response. Returns when the server has reserved this many more bytes.
fn hold(server: &TestServer, request: &[u8], counted: usize) -> TcpStream {
    let before = server.overload.load().bytes;
    let mut stream = connect(server.addr);
    stream.write_all(request).unwrap();
    server.until("counted", |load| load.bytes >= before + counted);
    stream
}

#[test]
fn eight_stopped_readers_hold_nearly_all_bytes_and_a_new_client_gets_large_answers() {
    const SIZE: usize = 15 * MIB;
    let server = TestServer::unlimited(&["--max-paste-size", "16MiB", "--max-in-flight", "128MiB"]);
    let path = server.save(vec![b'x'; SIZE]).path;
    let _readers: Vec<TcpStream> = (0..8)
        .map(|reader| {
            let request = server.request("GET", &path);
            hold(
                &server,
                &request.from(&format!("10.{reader}.0.1")).bytes(),
                SIZE,
            )
        })
        .collect();
    assert!(server.overload.load().bytes >= 8 * SIZE);
    for _ in 0..5 {
        let newcomer = server.request("GET", &path).from(NEWCOMER);
        assert_eq!(newcomer.send().body.len(), SIZE);
    }
    assert_eq!(server.overload.load().cancelled, 0);
}

#[test]
fn a_client_that_requests_forty_large_pages_at_once_delays_no_other_client() {
    let server = TestServer::unlimited(&[]);
    let path = server.save("a line of text\n".repeat(60_000)).path;
    let page = |from: &str| {
        let request = server.request("GET", &path).from(from);
        request.header("Accept", "text/html")
    };
    let flood: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = connect(server.addr);
            stream.write_all(&page("192.0.2.1").bytes()).unwrap();
            stream
        })
        .collect();
    // When the client has used up its share of the bytes
    server.until("full", |load| load.bytes > 6 * MIB);
    // Then other clients still get their pages, without any wait: the clock stands still
    for other in 0..4 {
        let answer = page(&format!("10.0.{other}.1")).send();
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    // And four of the client's pages were rendered, which use a quarter of the bytes; the others still wait
    server.until("made", |load| load.rendering == 0);
    let waiting = server.overload.load().transfers;
    assert!(waiting >= 36, "{waiting}");
    drop(flood);
    server.until_all_have_ended();
}

#[test]
fn clients_that_send_requests_and_read_nothing_lose_connections() {
    const CONNECTIONS: u64 = 480;
    // All connections together may hold 48 MiB, and each of these holds 120 KiB more than a small buffer.
    const MOST: u64 = 48 * 1024 / 120;
    let server = TestServer::without_proxy();
    let requests = server
        .request("GET", "/healthz")
        .header("Connection", "keep-alive")
        .bytes();
    let flood: Vec<TcpStream> = (0..CONNECTIONS)
        .map(|_| {
            let mut stream = connect(server.addr);
            // The server may have closed it.
            let _ = stream.write_all(&requests.repeat(256));
            stream
        })
        .collect();
    wait_for(|| match server.connections() {
        open if open <= MOST => Ok(()),
        open => Err(open),
    });
    drop(flood);
    server.until_all_have_ended();
}
