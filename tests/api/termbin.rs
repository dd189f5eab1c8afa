//! termbin: a text that is sent to the TCP port is answered with its URL.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::client::{connect, until};
use crate::connections::{connect_from, is_open};
use crate::server::TestServer;

const FLAGS: [&str; 4] = [
    "--tcp-addr",
    "127.0.0.1:0",
    "--base-url",
    "https://paste.example.org",
];

fn server(flags: &[&str]) -> TestServer {
    TestServer::with(&[&FLAGS, flags].concat())
}

/// Connects to the TCP port and sends this text.
fn send(server: &TestServer, text: impl AsRef<[u8]>) -> TcpStream {
    let mut stream = connect(server.tcp_addr.expect("it listens"));
    // The server may refuse the text before it has read all of it.
    let _ = stream.write_all(text.as_ref());
    stream
}

/// The whole answer.
fn answer(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("a text");
    answer
}

/// The answer to a text whose client then closes its sending side, as `nc -N` does.
fn answer_to(server: &TestServer, text: impl AsRef<[u8]>) -> String {
    let stream = send(server, text);
    let _ = stream.shutdown(Shutdown::Write);
    answer(stream)
}

/// The answer to a client that waits for it, while the clock advances.
fn awaited(server: &TestServer, stream: TcpStream) -> String {
    let answer = std::thread::spawn(move || answer(stream));
    server.advance_until(Duration::from_millis(100), || answer.is_finished());
    answer.join().expect("an answer")
}

/// The path of the saved paste.
#[track_caller]
fn path(answer: &str) -> &str {
    let path = answer.strip_prefix("https://paste.example.org");
    let path = path.and_then(|path| path.strip_suffix('\n'));
    path.unwrap_or_else(|| panic!("not a URL: {answer}"))
}

#[test]
fn a_text_is_saved_byte_for_byte_when_its_client_closes_its_side() {
    let server = server(&[]);
    let every_byte: Vec<u8> = (0..=u8::MAX).cycle().take(300_000).collect();
    for text in [&b"one line\n"[..], b"\0", &every_byte] {
        let answer = answer_to(&server, text);
        assert_eq!(server.get(path(&answer)).body, text);
    }
    let answer = answer_to(&server, "x");
    server.advance(Duration::from_secs(7 * 24 * 60 * 60));
    assert_eq!(server.get(path(&answer)).status, 410);
}

#[test]
fn a_text_ends_when_its_client_sends_nothing_for_some_seconds() {
    let server = server(&[]);
    let mut stream = send(&server, "a");
    server.until("waits", |load| load.receiving == 1);
    for sent in 1..=5 {
        server.advance(Duration::from_secs(4));
        stream.write_all(b"b").unwrap();
        server.until("arrived", |load| load.moved == sent);
    }
    let last_byte = server.clock.elapsed();
    let answer = awaited(&server, stream);
    assert_eq!(server.get(path(&answer)).text(), "abbbbb");
    assert!(server.clock.elapsed() - last_byte >= Duration::from_secs(5));
}

#[test]
fn a_client_that_sends_nothing_takes_no_upload_slot_and_is_told_how_to_send() {
    let server = server(&[]);
    let silent = send(&server, "");
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.overload.load().transfers, 0);
    for answer in [awaited(&server, silent), answer_to(&server, "")] {
        assert!(answer.contains("| nc -N"), "{answer}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_text_that_is_too_large_or_an_http_request_gets_one_sentence_and_is_not_kept() {
    let server = server(&["--max-paste-size", "1KiB"]);
    for (text, words) in [
        (&b"x".repeat(1025)[..], "larger than the limit of 1 KiB"),
        (&b"x".repeat(10 << 20), "larger than the limit of 1 KiB"),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP"),
        (b"POST / HTTP/1.1\r\nCookie: x\r\n\r\nbody", "HTTP"),
        (b"GET / HTTP/1.0\n\n", "HTTP"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP"),
        (b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", "TLS"),
    ] {
        let answer = answer_to(&server, text);
        let sentence = answer.strip_suffix(".\n");
        let sentence = sentence.unwrap_or_else(|| panic!("{words}: {answer:?}"));
        assert!(sentence.contains(words), "{sentence}");
        assert!(!sentence.contains('\n') && !sentence.starts_with("HTTP/"));
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_client_that_goes_on_sending_after_the_answer_is_closed_after_some_seconds() {
    let server = server(&["--max-paste-size", "1KiB"]);
    let mut stream = send(&server, "");
    let sending = std::thread::spawn(move || while stream.write_all(&[b'x'; 1 << 16]).is_ok() {});
    server.advance_until(Duration::from_millis(100), || sending.is_finished());
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn limits_are_those_of_saves_over_http_by_the_same_address() {
    for (rule, time) in [
        ("rate 1/60s burst 2", "in 60 s."),
        ("quota 10B/1d", "in 25 h."),
    ] {
        let server = server(&["--limit-save", rule]);
        server.save("x");
        path(&answer_to(&server, "123456789"));
        let answer = answer_to(&server, "x");
        assert!(answer.contains(time), "{answer}");
        assert_eq!(server.request("POST", "/").body("x").send().status, 429);
        assert_eq!(server.store.occupancy().pastes, 2);
    }
}

#[test]
fn a_refused_text_gives_its_bytes_back_to_the_quota() {
    let server = server(&["--limit-save", "quota 10B/1d", "--max-paste-size", "8B"]);
    assert!(answer_to(&server, "123456789").contains("larger"));
    path(&answer_to(&server, "12345678"));
}

#[test]
fn a_denied_network_saves_nothing() {
    let server = server(&["--networks", "127.0.0.0/8 deny"]);
    let answer = answer_to(&server, "x");
    assert!(answer.contains("blocks your network"), "{answer}");
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_slow_text_counts_as_a_paused_upload_and_a_client_has_few_of_these() {
    let server = server(&[]);
    let mut slow: Vec<TcpStream> = (0..5).map(|_| send(&server, "a")).collect();
    server.until("wait", |load| load.receiving == 5);
    while server.overload.load().receiving == 5 {
        let before = server.overload.load().moved;
        server.advance(Duration::from_secs(4));
        for stream in &mut slow {
            let _ = stream.write_all(b"b");
        }
        server.until("arrived or refused", |load| {
            load.receiving < 5 || load.moved == before + 5
        });
    }
    assert_eq!(server.overload.load().paused, 4);
    for stream in &slow {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let answers: Vec<String> = slow.into_iter().map(answer).collect();
    let (refused, saved): (Vec<String>, Vec<String>) = answers
        .into_iter()
        .partition(|answer| answer.contains("paused uploads"));
    assert_eq!((refused.len(), saved.len()), (1, 4));
    for answer in saved {
        assert_eq!(server.get(path(&answer)).status, 200);
    }
}

#[test]
fn an_idle_connection_makes_room_for_another_client() {
    let server = TestServer::with_connections(1, &FLAGS);
    let mut idle = connect_from([127, 0, 1, 1], server.tcp_addr.unwrap());
    let mut answers = String::new();
    // Each connection of the loop needs the place of the idle one, unless the server accepts the idle one later.
    while is_open(&idle) {
        let mut other = send(&server, "x");
        let _ = other.shutdown(Shutdown::Write);
        let _ = other.read_to_string(&mut answers);
    }
    path(answers.split_inclusive('\n').next().unwrap());
    let mut rest = Vec::new();
    let _ = idle.read_to_end(&mut rest);
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn a_client_that_disconnects_while_it_sends_leaves_nothing() {
    let server = server(&["--limit-save", "quota 10B/1d"]);
    let stream = send(&server, "123456");
    server.until("waits", |load| load.receiving == 1);
    // With unsent time left, the close is a reset.
    socket2::SockRef::from(&stream)
        .set_linger(Some(Duration::ZERO))
        .unwrap();
    drop(stream);
    // The quota is given back after the upload has ended.
    server.until_no_connection_is_open();
    server.until("ended", |load| load.receiving == 0 && load.bytes == 0);
    assert_eq!(server.store.occupancy().pastes, 0);
    path(&answer_to(&server, "1234567890"));
}

#[test]
fn a_stop_finishes_the_texts_in_progress() {
    let mut server = server(&[]);
    let stream = send(&server, "half ");
    server.until("waits", |load| load.receiving == 1);
    server.begin_stop();
    until(|| TcpStream::connect(server.tcp_addr.unwrap()).is_err());
    let mut sending = &stream;
    sending.write_all(b"and whole").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    path(&answer(stream));
    assert_eq!(server.store.occupancy().pastes, 1);
}
