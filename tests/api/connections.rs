//! Idle, slow and numerous connections do not prevent other clients from connecting.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, SockRef, Socket, Type};

use crate::client::{PATIENCE, Response, connect, is_answered, wait_for};
use crate::keep_alive::KeepAlive;
use crate::server::TestServer;

/// Opens a connection from this address of the loopback network.
pub fn connect_from(address: [u8; 4], server: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let local = SocketAddr::from((Ipv4Addr::from(address), 0));
    socket.bind(&local.into()).unwrap();
    socket.connect(&server.into()).unwrap();
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";

/// Returns whether the server answers on this connection.
fn is_healthy(stream: &mut TcpStream) -> bool {
    stream.write_all(HEALTH.as_bytes()).is_ok()
        && is_answered(stream)
        && Response::read(stream, false).status == 200
}

/// Returns whether this connection is open and has nothing to read.
pub fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    matches!(stream.peek(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// The time that the server keeps an idle connection.
const IDLE: Duration = Duration::from_secs(75);

/// Advances the clock until the server has closed these connections, which wait for the rest of a head. Asserts that
/// their idle time does not end before. It is unknown when the server reads the start of a head, so the clock advances
/// by seconds.
fn close_before_they_are_idle_for_long(server: &TestServer, mut open: Vec<TcpStream>) {
    let end = server.clock.elapsed() + IDLE;
    server.advance_until(Duration::from_secs(1), || {
        assert!(server.clock.elapsed() < end, "a head is waited for");
        open.retain(is_open);
        open.is_empty()
    });
}

/// Waits until the server closes this connection. Returns the bytes that it sent before.
fn until_it_ends(stream: &mut TcpStream) -> Vec<u8> {
    let mut read = Vec::new();
    match stream.read_to_end(&mut read) {
        Ok(_) => (),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    read
}

#[test]
fn pipelined_requests_are_all_answered_in_order_when_they_are_read() {
    let server = TestServer::start();
    let saved: Vec<_> = (0..10).map(|turn| server.save(format!("{turn}"))).collect();
    let mut stream = connect(server.addr);
    let mut answers = KeepAlive::on(stream.try_clone().unwrap());
    let requests: String = (0..2_000)
        .map(|turn| format!("GET {} HTTP/1.1\r\nHost: h\r\n\r\n", saved[turn % 10].raw()))
        .collect();
    let sender = std::thread::spawn(move || stream.write_all(requests.as_bytes()).unwrap());
    for turn in 0..2_000 {
        let expected = (200, format!("{}", turn % 10).into_bytes());
        assert_eq!(answers.answer(false), Some(expected));
    }
    sender.join().unwrap();
}

#[test]
fn requests_that_arrive_behind_a_slow_one_are_all_answered() {
    let server = TestServer::start();
    let mut stream = connect(server.addr);
    let slow =
        "PUT / HTTP/1.1\r\nHost: h\r\nX-Password: long enough\r\nContent-Length: 4\r\n\r\ntext";
    // The first 8 KiB are decoded with the slow request. The rest is read while that one is answered.
    let requests = [slow, &HEALTH.repeat(260)].concat();
    stream.write_all(requests.as_bytes()).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 201);
    for _ in 0..260 {
        assert_eq!(Response::read(&mut stream, false).text(), "ok\n");
    }
}

#[test]
fn bodies_and_the_requests_pipelined_after_them_are_handled() {
    let server = TestServer::start();
    let body = vec![b'x'; 1 << 20];
    let mut stream = connect(server.addr);
    let mut sending = stream.try_clone().unwrap();
    let save = format!(
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let bytes = [save.as_bytes(), &body, HEALTH.as_bytes()]
        .concat()
        .repeat(3);
    let sender = std::thread::spawn(move || sending.write_all(&bytes).unwrap());
    for _ in 0..3 {
        assert_eq!(Response::read(&mut stream, false).status, 201);
        assert_eq!(Response::read(&mut stream, false).text(), "ok\n");
    }
    sender.join().unwrap();
}

#[test]
fn every_head_of_a_connection_has_five_seconds() {
    let server = TestServer::start();
    let mut first = connect(server.addr);
    first.write_all(b"GET / HT").unwrap();
    let mut second = connect(server.addr);
    assert!(is_healthy(&mut second));
    second.write_all(b"G").unwrap();
    close_before_they_are_idle_for_long(&server, vec![first, second]);
}

#[test]
fn a_connection_may_be_idle_for_75_seconds_after_a_response() {
    let server = TestServer::start();
    let (mut reader, mut saver) = (connect(server.addr), connect(server.addr));
    let save = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody";
    for _ in 0..3 {
        assert!(is_healthy(&mut reader));
        saver.write_all(save.as_bytes()).unwrap();
        assert_eq!(Response::read(&mut saver, false).status, 201);
        server.advance(IDLE - Duration::from_secs(1));
    }
    let mut open = vec![reader, saver];
    server.advance_until(IDLE, || {
        open.retain(is_open);
        open.is_empty()
    });
}

#[test]
fn a_stalled_first_head_gets_a_408_and_a_timely_one_an_answer() {
    let server = TestServer::start();
    let (mut slow, mut fast) = (connect(server.addr), connect(server.addr));
    slow.write_all(&HEALTH.as_bytes()[..9]).unwrap();
    fast.write_all(&HEALTH.as_bytes()[..9]).unwrap();
    // One thread accepts connections in order, so this response proves that the earlier ones are accepted.
    let mut idle = connect(server.addr);
    assert!(is_healthy(&mut idle));
    server.advance(Duration::from_millis(4_999));
    fast.write_all(&HEALTH.as_bytes()[9..]).unwrap();
    assert_eq!(Response::read(&mut fast, false).status, 200);
    server.advance(Duration::from_secs(10));
    assert!(until_it_ends(&mut slow).starts_with(b"HTTP/1.1 408 "));
}

#[test]
fn one_peer_has_512_connections_and_others_still_get_in() {
    let server = TestServer::start();
    assert_eq!(server.get("/healthz").status, 200);
    let mut held: Vec<TcpStream> = (0..512)
        .map(|_| connect_from([127, 0, 1, 1], server.addr))
        .collect();
    assert!(is_healthy(&mut held[511]));
    let mut refused = connect_from([127, 0, 1, 1], server.addr);
    assert!(until_it_ends(&mut refused).is_empty());
    assert!(is_healthy(&mut connect_from([127, 0, 1, 2], server.addr)));
}

#[test]
fn one_network_has_a_third_of_all_connections() {
    let server = TestServer::with_connections(24, &[]);
    let mut held: Vec<TcpStream> = (1..9)
        .map(|host| connect_from([127, 0, 1, host], server.addr))
        .collect();
    for stream in &mut held {
        assert!(is_healthy(stream));
    }
    assert!(until_it_ends(&mut connect_from([127, 0, 1, 9], server.addr)).is_empty());
    assert!(is_healthy(&mut connect_from([127, 0, 2, 9], server.addr)));
}

#[test]
fn a_new_connection_beyond_the_maximum_replaces_an_idle_one() {
    let server = TestServer::with_connections(32, &[]);
    let held: Vec<TcpStream> = (0..32)
        .map(|turn| {
            let mut stream = connect_from([127, 0, 1 + turn / 4, 1 + turn % 4], server.addr);
            assert!(is_healthy(&mut stream));
            stream.write_all(b"G").unwrap();
            stream
        })
        .collect();
    let _newcomers: Vec<TcpStream> = (0..8)
        .map(|turn| {
            let mut stream = connect_from([127, 0, 100 + turn, 1], server.addr);
            assert!(is_healthy(&mut stream));
            stream
        })
        .collect();
    // Eight connections are closed, each of another network.
    let left = || -> Vec<usize> {
        held.chunks(4)
            .map(|network| network.iter().filter(|stream| is_open(stream)).count())
            .collect()
    };
    wait_for(|| match left() {
        left if left == [3; 8] => Ok(()),
        left => Err(left),
    });
}

#[test]
fn a_connection_whose_request_is_being_answered_is_not_replaced() {
    let server = TestServer::with_connections(8, &[]);
    let mut saving = connect_from([127, 0, 1, 1], server.addr);
    let head = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nConnection: close\r\n\r\n";
    saving.write_all(head.as_bytes()).unwrap();
    server.until("received", |load| load.receiving == 1);
    for turn in 0..30 {
        assert!(is_healthy(&mut connect_from(
            [127, 0, 2 + turn, 1],
            server.addr
        )));
    }
    saving.write_all(b"body").unwrap();
    assert_eq!(Response::read(&mut saving, false).status, 201);
}

/// Several times the size of a connection's buffers.
const LARGE: usize = 24 << 20;

/// Starts a server with at most this many connections and one large paste; returns the path of the paste.
fn with_large(connections: usize) -> (TestServer, String) {
    let sizes = ["--max-paste-size", "64MiB", "--max-in-flight", "512MiB"];
    let stores = ["--max-store-size", "256MiB", "--max-disk", "1GiB"];
    let flags = [sizes, stores].concat();
    let server = TestServer::with_connections(connections, &flags);
    let saved = server.save(vec![b'x'; LARGE]);
    server.until("saved", |load| load.transfers == 0 && load.bytes == 0);
    (server, saved.raw())
}

/// Requests the path from this address, and reads the first byte of the response.
fn begin_download(server: &TestServer, address: [u8; 4], path: &str) -> TcpStream {
    let mut stream = connect_from(address, server.addr);
    // With larger buffers, the system could buffer the whole response.
    SockRef::from(&stream)
        .set_recv_buffer_size(64 << 10)
        .unwrap();
    let get = format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    stream.write_all(get.as_bytes()).unwrap();
    stream.read_exact(&mut [0]).unwrap();
    stream
}

/// Reads until the server has sent more. Returns the number of bytes read.
fn go_on(server: &TestServer, download: &mut TcpStream) -> usize {
    let before = server.overload.load().moved;
    let mut piece = [0; 4096];
    let mut read = 0;
    while server.overload.load().moved == before {
        download.read_exact(&mut piece).unwrap();
        read += piece.len();
    }
    read
}

#[test]
fn a_connection_with_a_stalled_download_is_replaced_and_an_active_one_is_not() {
    let (server, path) = with_large(2);
    let mut going_on = begin_download(&server, [127, 0, 1, 1], &path);
    let mut stopped = begin_download(&server, [127, 0, 2, 1], &path);
    let mut read = 0;
    let start = server.clock.elapsed();
    while !is_healthy(&mut connect_from([127, 0, 3, 1], server.addr)) {
        server.advance(Duration::from_secs(10));
        read += go_on(&server, &mut going_on);
    }
    let waited = server.clock.elapsed() - start;
    assert!(waited >= Duration::from_secs(30), "{waited:?}");
    assert!(until_it_ends(&mut stopped).len() < LARGE);
    assert!(read + until_it_ends(&mut going_on).len() > LARGE);
}

/// A read of a paste that does not exist, with this header.
fn read_with(header: &str) -> String {
    format!("GET /raw/none HTTP/1.1\r\nHost: h\r\n{header}\r\n")
}

#[test]
fn a_client_that_was_refused_waits_before_its_next_request_is_read() {
    let flags = ["--limit-read", "rate 1/s burst 1"];
    let server = TestServer::with_direct_peers(&flags);
    let mut stream = connect(server.addr);
    // Given a client that was refused
    for expected in [404, 429] {
        stream.write_all(read_with("").as_bytes()).unwrap();
        assert_eq!(Response::read(&mut stream, false).status, expected);
    }
    // When it asks again at once, it gets no answer before it has waited
    let start = server.clock.elapsed();
    stream.write_all(read_with("").as_bytes()).unwrap();
    server.advance_until(Duration::from_millis(1), || !is_open(&stream));
    assert!(server.clock.elapsed() - start >= Duration::from_millis(4));
    stream.set_nonblocking(false).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 429);
}

#[test]
fn a_connection_that_may_carry_other_clients_does_not_wait_after_a_refusal() {
    let flags = ["--limit-read", "rate 1/s burst 1"];
    let forwarded = read_with("X-Forwarded-For: 192.0.2.1\r\n");
    for (server, request) in [
        (TestServer::with_direct_peers(&flags), forwarded),
        (TestServer::with(&flags), read_with("")),
    ] {
        let mut stream = connect(server.addr);
        for expected in [404, 429, 429, 429] {
            stream.write_all(request.as_bytes()).unwrap();
            assert_eq!(Response::read(&mut stream, false).status, expected);
        }
    }
}

#[test]
fn a_client_that_floods_gets_short_refusals_until_the_limits_are_looked_at_again() {
    let server = TestServer::with(&["--limit-read", "rate 1/10m burst 1"]);
    let mut stream = connect(server.addr);
    let mut refusal = || {
        stream.write_all(read_with("").as_bytes()).unwrap();
        Response::read(&mut stream, false)
    };
    assert_eq!(refusal().status, 404);
    for is_short in [[false; 16], [true; 16]].concat() {
        let answer = refusal();
        assert_eq!(answer.status, 429);
        assert_eq!(answer.header("ratelimit").is_none(), is_short, "{answer:?}");
        assert!(answer.header("retry-after").is_some());
    }
    server.advance(Duration::from_millis(10));
    assert!(refusal().header("ratelimit").is_some());
}

#[test]
fn a_head_that_started_behind_another_request_has_five_seconds_too() {
    let server = TestServer::start();
    let mut stream = connect(server.addr);
    let requests = [HEALTH, "GET / HT"].concat();
    stream.write_all(requests.as_bytes()).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 200);
    close_before_they_are_idle_for_long(&server, vec![stream]);
}

#[test]
fn the_connections_of_a_trusted_proxy_are_not_counted_as_those_of_one_peer() {
    let server = TestServer::with_connections(32, &["--trusted-proxies", "127.0.0.1"]);
    let mut held: Vec<TcpStream> = (0..20).map(|_| connect(server.addr)).collect();
    for stream in &mut held {
        assert!(is_healthy(stream));
    }
}
