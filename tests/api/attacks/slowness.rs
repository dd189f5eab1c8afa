//! Attacks by slow clients and by clients that hang up: heads and bodies of one byte per second, and pausing pipes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{Domain, Socket, Type};
use tidebin::overload::Priority;

use super::{get, save};
use crate::client::{PATIENCE, Request, Response, connect};
use crate::server::{Saved, TestServer};

/// The number of bodies of a flood.
const MANY: usize = 512;

/// The number of bodies that may pause.
const PATIENT: usize = 128;

const VICTIM: &str = "192.0.2.1";

/// How a request declares the end of its body.
#[derive(Clone, Copy, PartialEq)]
enum Framing {
    Declared,
    Chunked,
}

impl Framing {
    /// Returns one framing for even numbers and the other for odd ones.
    fn of(turn: usize) -> Self {
        if turn.is_multiple_of(2) {
            Self::Declared
        } else {
            Self::Chunked
        }
    }

    /// Returns the byte at position `n` of a body. In a chunked body, six bytes carry one byte of content.
    fn byte(self, n: usize) -> [u8; 1] {
        match self {
            Self::Declared => *b"x",
            Self::Chunked => [b"1\r\nx\r\n"[n % 6]],
        }
    }
}

/// Connects as the client at this address of loopback, whose system takes little that it does not read.
fn connect_from(server: &TestServer, address: [u8; 4]) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    socket.bind(&SocketAddr::from((address, 0)).into()).unwrap();
    socket.connect(&server.addr.into()).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.into()
}

/// Raises the limit of open files of this process to at least this number.
fn allow_descriptors(needed: u64) {
    let limit = getrlimit(Resource::Nofile);
    assert!(
        limit.maximum.is_none_or(|most| most >= needed),
        "this test opens {needed} descriptors and the hard limit is {limit:?}: raise it with `ulimit -Hn {needed}`"
    );
    if limit.current.is_some_and(|current| current < needed) {
        let current = Some(needed);
        setrlimit(Resource::Nofile, Rlimit { current, ..limit }).expect("within the hard limit");
    }
}

fn advance(server: &TestServer, seconds: u64) {
    server.advance(Duration::from_secs(seconds));
}

/// Sends the head of a save by this client, and these first bytes of its body.
fn begin(server: &TestServer, from: &str, framing: Framing, start: &str) -> TcpStream {
    let head = server.request("PUT", "/").from(from);
    let head = match framing {
        Framing::Declared => head.header("Content-Length", "1000000"),
        Framing::Chunked => head.header("Transfer-Encoding", "chunked"),
    };
    let mut stream = connect(server.addr);
    stream.write_all(&head.bytes()).unwrap();
    stream.write_all(start.as_bytes()).unwrap();
    stream
}

/// A save whose body is sent one byte at a time.
struct SlowBody {
    framing: Framing,
    sent: usize,
    stream: TcpStream,
}

impl SlowBody {
    fn begin(server: &TestServer, from: &str, framing: Framing) -> Self {
        Self {
            framing,
            sent: 0,
            stream: begin(server, from, framing, ""),
        }
    }

    fn send_byte(&mut self) {
        let _ = self.stream.write_all(&self.framing.byte(self.sent));
        self.sent += 1;
    }
}

/// Waits for the response; returns its status.
fn status(stream: &mut TcpStream) -> u16 {
    Response::read(stream, false).status
}

/// Asserts that a new client is served while the clock stands still.
fn assert_newcomer_is_served(server: &TestServer) {
    let newcomer = "203.0.113.1";
    assert_eq!(get(server, newcomer, "/").status, 200);
    assert_eq!(save(server, newcomer, "x").status, 201);
    let large = save(server, newcomer, vec![b'x'; 200 * 1024]);
    assert_eq!(large.status, 201, "{large:?}");
    let path = Saved::of(&large).path;
    assert_eq!(get(server, newcomer, &path).body.len(), 200 * 1024);
}

#[test]
fn a_new_client_is_answered_at_once_among_two_thousand_slow_connections() {
    const HEADS: usize = 1000;
    const BODIES: usize = 1000;
    allow_descriptors(5000);
    let server = TestServer::limited(&[]);
    // Given a thousand heads that never end
    let mut heads: Vec<TcpStream> = (0..HEADS).map(|_| connect(server.addr)).collect();
    let request = b"GET / HTTP/1.1\r\nHost: h\r\nX-Slow: 0123456789abcdef";
    // And a thousand bodies, four per client, that start within four seconds
    let mut bodies: Vec<SlowBody> = Vec::new();
    let second = |n: usize, heads: &mut [TcpStream], bodies: &mut [SlowBody]| {
        advance(&server, 1);
        // The server may have closed some of these connections.
        heads
            .iter_mut()
            .for_each(|head| _ = head.write_all(&request[n..=n]));
        bodies.iter_mut().for_each(SlowBody::send_byte);
    };
    for n in 0..4 {
        for turn in bodies.len()..bodies.len() + BODIES / 4 {
            let from = format!("10.1.{}.1", turn / 2 % 250);
            bodies.push(SlowBody::begin(&server, &from, Framing::of(turn)));
        }
        let all = bodies.len();
        server.until("received", |load| load.receiving == all);
        second(n, &mut heads, &mut bodies);
    }
    (4..8).for_each(|n| second(n, &mut heads, &mut bodies));
    // Then a new client is served while the clock stands still
    assert_newcomer_is_served(&server);
    // And the bodies are rejected as too slow, except for pipes that may pause
    (8..40).for_each(|n| second(n, &mut heads, &mut bodies));
    server.until("too slow", |load| load.receiving <= PATIENT);
    assert_newcomer_is_served(&server);
    advance(&server, 600);
    let ends: Vec<u16> = bodies
        .iter_mut()
        .map(|body| status(&mut body.stream))
        .collect();
    let too_slow = ends.iter().filter(|status| **status == 408).count();
    let for_others = ends.iter().filter(|status| **status == 503).count();
    assert_eq!(too_slow + for_others, bodies.len());
    assert!(too_slow >= BODIES / 2, "{too_slow} were too slow");
    server.until_all_have_ended();
    // And the heads are rejected five seconds after they arrived
    for mut head in heads {
        let mut answer = Vec::new();
        let _ = head.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408"));
    }
}

/// Starts an upload as the victim. The upload has sent four bytes and now pauses.
fn pausing_pipe(server: &TestServer) -> TcpStream {
    let pipe = begin(server, VICTIM, Framing::Chunked, "");
    server.until("received", |load| load.receiving == 1);
    (&pipe).write_all(b"4\r\nmake\r\n").unwrap();
    server.until("moved", |load| load.moved == 4);
    advance(server, 15);
    server.until("patient", |load| load.paused == 1);
    pipe
}

#[track_caller]
fn assert_pipe_saves(server: &TestServer, mut pipe: TcpStream) {
    let _ = pipe.write_all(b"4\r\nmore\r\n0\r\n\r\n");
    let answer = Response::read(&mut pipe, false);
    assert_eq!(answer.status, 201, "{answer:?}");
    assert_eq!(
        get(server, VICTIM, &Saved::of(&answer).path).body,
        b"makemore"
    );
}

#[test]
fn a_pipe_that_pauses_for_minutes_saves_while_a_network_floods_with_slow_bodies() {
    allow_descriptors(5000);
    let server = TestServer::unlimited(&[]);
    let pipe = pausing_pipe(&server);
    // When another network starts many bodies, and more pipes than may pause, in each of three minutes
    for minute in 0..3 {
        let flood: Vec<TcpStream> = (0..MANY + 100)
            .map(|turn| {
                let from = format!("198.51.100.{}", (turn / 2 + minute) % 200);
                begin(&server, &from, Framing::of(turn), "1\r\nx\r\n")
            })
            .collect();
        let all = flood.len() + 1;
        server.until("received", |load| load.receiving == all);
        for _ in 0..4 {
            advance(&server, 15);
            // The clock stands still until each upload was judged.
            server.until("all that are left pause", |load| {
                load.paused == load.receiving as u64
            });
        }
        server.until("pipes pause", |load| load.paused > PATIENT as u64 / 4);
        drop(flood);
        server.until("gone", |load| load.receiving == 1);
    }
    assert_pipe_saves(&server, pipe);
}

#[test]
fn two_hundred_clients_that_hang_up_at_any_stage_leave_nothing_behind() {
    const CLIENTS: usize = 200;
    allow_descriptors(5000);
    let server = TestServer::limited(&["--limit-read", "rate 1/s burst 1 wait 5s"]);
    let from = |turn: usize| format!("10.2.{}.1", turn % CLIENTS);
    let send = |request: Request| {
        let mut stream = connect(server.addr);
        stream.write_all(&request.bytes()).unwrap();
        stream
    };
    // Given clients whose requests are delayed by a rule
    let mut left: Vec<TcpStream> = Vec::new();
    for turn in 0..CLIENTS {
        assert_eq!(get(&server, &from(turn), "/").status, 200);
        left.push(send(server.request("GET", "/").from(&from(turn))));
    }
    server.until("waiting", |load| load.waiting == CLIENTS);
    // And clients in the middle of a body
    for turn in 0..MANY {
        let framing = Framing::of(turn);
        let start = match framing {
            Framing::Chunked => "4\r\nmake\r\n",
            Framing::Declared => "make",
        };
        let mut body = begin(&server, &from(turn), framing, start);
        if turn < 40 && framing == Framing::Declared {
            body.write_all(&[b'x'; 300_000]).unwrap();
        }
        left.push(body);
    }
    server.until("received", |load| {
        load.receiving == MANY && load.bytes > 20 * 300_000
    });
    // And clients that wait for bytes, because strangers have the rest and do not give it back
    let taken = server.take_bytes(Priority::Read, 1 << 20);
    let queue = (0..CLIENTS).map(|turn| begin(&server, &from(turn), Framing::Declared, "make"));
    left.extend(queue);
    let all = MANY + taken.len() + CLIENTS;
    server.until("waiting for bytes", |load| load.transfers == all);
    // When all of them hang up
    drop((left, taken));
    // Then everything is released and available to others
    server.until("idle", |load| {
        server.advance(Duration::from_millis(10));
        load.receiving + load.transfers + load.waiting + load.bytes == 0 && load.paused == 0
    });
    assert_eq!(server.store.occupancy().pastes, 0);
    let again: Vec<TcpStream> = (0..MANY)
        .map(|turn| {
            begin(
                &server,
                &format!("10.3.{}.1", turn % 250),
                Framing::of(turn),
                "",
            )
        })
        .collect();
    server.until("received", |load| load.receiving == MANY);
    drop(again);
    server.until_all_have_ended();
}

/// Reads until this many bytes of the response were read in total.
fn read_to(stream: &mut TcpStream, length: &mut usize, end: usize) {
    let mut part = vec![0; end - *length];
    stream.read_exact(&mut part).expect("the response goes on");
    *length = end;
}

#[test]
fn three_hundred_slow_readers_of_a_mebibyte_lose_nothing_beside_an_attacker() {
    const SIZE: usize = 1 << 20;
    const A_SECOND: usize = 50_000;
    allow_descriptors(5000);
    let server = TestServer::without_proxy();
    let path = server.save(vec![b'x'; SIZE]).path;
    let get = server.request("GET", &path);
    // Given 300 readers in networks of their own
    let networks = (0..150).flat_map(|low| [[127, 1, low, 1], [127, 2, low, 1]]);
    let mut readers: Vec<_> = networks
        .map(|address| (connect_from(&server, address), 0))
        .collect();
    for (stream, _) in &mut readers {
        stream.write_all(&get.bytes()).unwrap();
    }
    // And an attacker that sends no whole body, and reads none of the pages and pastes that it asks for
    let page = get.clone().header("Accept", "text/html");
    let reads = [page.bytes(), get.bytes()].concat().repeat(20);
    let body = server.request("PUT", "/").body(vec![b'y'; SIZE]).bytes();
    let attack: Vec<_> = (0..400)
        .map(|turn| {
            let mut stream = connect_from(&server, [127, 3, 0, 1]);
            let sent = if turn % 4 == 0 {
                &body[..SIZE / 2]
            } else {
                &reads
            };
            // The server may refuse it.
            let _ = stream.write_all(sent);
            stream
        })
        .collect();
    // When each of them reads 50 KB in each second
    for second in 1..=SIZE.div_ceil(A_SECOND) {
        for (stream, length) in &mut readers {
            read_to(stream, length, SIZE.min(second * A_SECOND));
        }
        advance(&server, 1);
    }
    // Then each of them got everything
    drop(attack);
    server.until_all_have_ended();
}
