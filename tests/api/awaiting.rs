//! Waits for the next view of a paste: how many there are, and what ends them early.

use std::io::Write;
use std::net::{Shutdown, TcpStream};

use crate::client::{Request, Response, connect, is_answered};
use crate::connections::connect_from;
use crate::server::{Saved, TestServer};

fn request(server: &TestServer, saved: &Saved) -> Request {
    let request = server.request("GET", &format!("{}/stats?wait=10m", saved.path));
    request.header("X-Token", &saved.token)
}

/// Waits for a paste as the client at this address.
fn wait(server: &TestServer, saved: &Saved, address: &str) -> TcpStream {
    let mut stream = connect(server.addr);
    let request = request(server, saved).from(address);
    stream.write_all(&request.bytes()).unwrap();
    stream
}

fn is_ended(mut waiting: TcpStream) {
    let answer = Response::read(&mut waiting, false);
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.text().contains("The wait ended early"), "{answer:?}");
    assert!(answer.header("retry-after").is_some());
}

#[test]
fn a_client_has_four_waits_at_once_and_a_paste_has_one() {
    let server = TestServer::unlimited(&[]);
    let pastes: Vec<Saved> = (0..5).map(|_| server.save("x")).collect();
    let mut waits = Vec::new();
    for (at, saved) in pastes[..4].iter().enumerate() {
        waits.push(wait(&server, saved, "192.0.2.1"));
        server.until("waiting", |load| load.paused == at as u64 + 1);
    }
    // Given that one of four waits is repeated on another connection, the first ends
    let _again = wait(&server, &pastes[0], "192.0.2.1");
    is_ended(waits.remove(0));
    // Then a fifth is refused, and one of another client is not
    let refused = Response::read(&mut wait(&server, &pastes[4], "192.0.2.1"), false);
    assert_eq!(refused.status, 429, "{refused:?}");
    let _other = wait(&server, &pastes[4], "198.51.100.1");
    server.until("waiting", |load| load.paused == 5);
}

#[test]
fn three_hundred_who_wait_keep_no_one_from_reading() {
    let server = TestServer::unlimited(&[]);
    let saved = server.save("x");
    let waits: Vec<TcpStream> = (0..300)
        .map(|at| {
            let paste = server.save("x");
            wait(&server, &paste, &format!("10.{}.{}.1", at / 64, at % 64))
        })
        .collect();
    for at in 0..3 {
        let read = server
            .request("GET", &saved.path)
            .from(&format!("192.0.2.{at}"));
        assert_eq!(read.send().status, 200);
    }
    server.until("bounded", |load| load.paused == 128);
    drop(waits);
    server.until("over", |load| load.paused == 0);
}

#[test]
fn a_client_that_hangs_up_or_a_server_that_stops_ends_a_wait_at_once() {
    let mut server = TestServer::unlimited(&[]);
    let saved = server.save("x");
    // The clock stands still
    let gone = wait(&server, &saved, "192.0.2.1");
    server.until("waiting", |load| load.paused == 1);
    gone.shutdown(Shutdown::Write).unwrap();
    server.until("over", |load| load.paused == 0);
    is_ended(gone);
    let waiting = wait(&server, &saved, "192.0.2.1");
    server.until("waiting", |load| load.paused == 1);
    server.begin_stop();
    is_ended(waiting);
}

#[test]
fn a_wait_makes_room_for_a_new_connection_as_an_idle_one_does() {
    // Given that a third of all connections waits, and the others upload
    let server = TestServer::with_connections(3, &[]);
    let saved = server.save("x");
    server.until_no_connection_is_open();
    let mut connections = [1, 2, 3].map(|network| connect_from([127, 0, network, 1], server.addr));
    connections[0]
        .write_all(&request(&server, &saved).bytes())
        .unwrap();
    server.until("waiting", |load| load.paused == 1);
    for upload in &mut connections[1..] {
        let head = "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n";
        upload.write_all(head.as_bytes()).unwrap();
        assert_eq!(Response::read(upload, false).status, 100);
    }
    // When another one comes, the wait makes room for it
    let mut newcomer = connect_from([127, 0, 4, 1], server.addr);
    newcomer
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
        .unwrap();
    assert_eq!(Response::read(&mut newcomer, false).status, 200);
    assert!(!is_answered(&connections[0]));
    server.until("over", |load| load.paused == 0);
}
