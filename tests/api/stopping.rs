//! How the program stops while requests are in progress.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::client::{Response, connect, is_answered};
use crate::folder::Folder;
use crate::process::Running;
use crate::server::Saved;

/// A save that was answered with 100, so that it has certainly started, and half of its body.
fn begin_save(addr: SocketAddr) -> TcpStream {
    let mut stream = connect(addr);
    let head = "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(Response::read(&mut stream, false).status, 100);
    stream.write_all(b"first").unwrap();
    stream
}

/// Sends these bytes. The connection then neither sends nor reads anything.
fn stall(addr: SocketAddr, sent: &str) -> TcpStream {
    let mut stream = connect(addr);
    stream.write_all(sent.as_bytes()).unwrap();
    stream
}

/// Reads over one connection until the server closes it between two answers, and reports each complete answer. Returns
/// their number. An answer that breaks off fails the test.
fn read_until_closed(running: &Running, path: &str, complete: &mpsc::Sender<()>) -> usize {
    let mut stream = connect(running.addr());
    let request = running
        .request("GET", path)
        .header("Connection", "keep-alive")
        .bytes();
    for answered in 0.. {
        if stream.write_all(&request).is_err() || !is_answered(&stream) {
            return answered;
        }
        assert_eq!(Response::read(&mut stream, false).body.len(), 1 << 20);
        _ = complete.send(());
    }
    unreachable!("the server closes")
}

#[test]
fn a_stop_under_load_completes_every_started_request_and_exits_with_0() {
    // Lines of requests are off: the log is not read meanwhile, and a full pipe would stop the program.
    let running = Running::start(&["--log", "info,tidebin::http::log=warn"]);
    let saved = Saved::of(
        &running
            .request("POST", "/")
            .body(vec![b'x'; 1 << 20])
            .send(),
    );
    let saves: Vec<TcpStream> = (0..16).map(|_| begin_save(running.addr())).collect();
    let (complete, completed) = mpsc::channel();
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8)
            .map(|_| {
                let (running, path, complete) = (&running, &saved.path, complete.clone());
                scope.spawn(move || read_until_closed(running, path, &complete))
            })
            .collect();
        drop(complete);
        assert_eq!(completed.iter().take(64).count(), 64);
        running.send(Signal::TERM);
        // The server accepts no new connection until the readers are sent away; then the started saves continue.
        let answered: usize = readers
            .into_iter()
            .map(|reader| reader.join().expect("every answer was complete"))
            .sum();
        assert!(answered >= 64);
        for mut stream in saves {
            stream.write_all(b"other").unwrap();
            let answer = Response::read(&mut stream, false);
            assert_eq!(answer.status, 201);
            assert_eq!(answer.header("connection"), Some("close"));
        }
    });
    let (code, log) = running.wait();
    assert_eq!(code, Some(0));
    assert_eq!(
        log.lines().count(),
        2,
        "more than the stop and what it loses was worth a line: {log}"
    );
}

#[test]
fn a_stop_ends_within_the_ten_seconds_of_docker_whatever_stalls() {
    let folder = Folder::new("stalls");
    let data = folder.path().join("data").display().to_string();
    let texts = ["--tcp-addr=127.0.0.1:0", "--base-url=http://h"];
    let mut running = Running::start(&[&texts[..], &["--data", &data]].concat());
    let line = running.next_line();
    let text_addr = line.split("address=").nth(1).expect("an address");
    let large = running.request("POST", "/").body(vec![b'x'; 1 << 20]);
    let path = Saved::of(&large.send()).path;
    let _stalled = [
        begin_save(running.addr()),
        stall(running.addr(), "GET / HT"),
        stall(
            running.addr(),
            &format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n").repeat(16),
        ),
        stall(text_addr.trim().parse().expect("an address"), "half of a "),
    ];
    let start = Instant::now();
    running.send(Signal::TERM);
    let (code, log) = running.wait();
    assert_eq!(code, Some(0), "{log}");
    assert!(start.elapsed() < Duration::from_secs(9), "{log}");
    assert!(log.contains("the database is closed"), "{log}");
}

#[test]
fn a_stop_does_not_wait_for_clients_that_still_send_a_body_that_was_refused() {
    let flags = ["--max-paste-size=1KiB", "--limit-save=rate 1/1h burst 2"];
    let running = Running::start(&flags);
    // Given clients that were answered before they sent their bodies
    let lingering: Vec<TcpStream> = [
        ("Content-Length: 100000\r\n", 413),
        ("Content-Length: 9\r\nContent-Range: bytes 0-8/9\r\n", 400),
        ("Content-Length: 9\r\n", 429),
    ]
    .into_iter()
    .map(|(headers, status)| {
        let head = format!("POST / HTTP/1.1\r\nHost: h\r\n{headers}\r\n");
        let mut stream = stall(running.addr(), &head);
        assert_eq!(Response::read(&mut stream, false).status, status);
        stream
    })
    .collect();
    // When the server stops
    let start = Instant::now();
    running.send(Signal::TERM);
    let (code, log) = running.wait();
    // Then it does not give them the five seconds that a client has otherwise
    assert_eq!(code, Some(0), "{log}");
    assert!(start.elapsed() < Duration::from_secs(4), "{log}");
    drop(lingering);
}
