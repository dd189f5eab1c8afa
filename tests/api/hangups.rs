//! Clients that hang up: at every byte of a request, in the middle of a response, or half-closed.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::client::{Request, Response, connect};
use crate::server::TestServer;

/// One small request for each way to save.
fn requests(server: &TestServer) -> Vec<Request> {
    let form = "--b\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\nhello\r\n--b--\r\n";
    vec![
        server.request("POST", "/?expires=1d").body("hello"),
        server
            .request("PUT", "/name.rs")
            .header("Expect", "100-continue")
            .body("hello"),
        server.request("PUT", "/").chunked(&[b"hel", b"lo"]),
        server
            .request("POST", "/")
            .header("Content-Type", "multipart/form-data; boundary=b")
            .body(form),
        server
            .request("POST", "/")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body("c=hello"),
        server
            .request("POST", "/record")
            .body(r#"{"title":"","lang":"","content":"x","expiration":9}"#),
    ]
}

#[test]
fn a_client_that_hangs_up_at_any_byte_of_a_request_saves_and_harms_nothing() {
    let server = TestServer::start();
    for request in requests(&server) {
        let bytes = request.bytes();
        for cut in 0..bytes.len() {
            let mut stream = connect(server.addr);
            stream.write_all(&bytes[..cut]).unwrap();
            if cut % 2 == 0 {
                // Half of the clients wait for the server's reaction. The others close the connection at once.
                stream.shutdown(Shutdown::Write).unwrap();
                let _ = stream.read_to_end(&mut Vec::new());
            }
        }
    }
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.store.occupancy().pastes, 0);
    server.store.validate();
}

#[test]
fn a_complete_request_is_served_if_its_client_hangs_up_or_half_closes() {
    let server = TestServer::start();
    for request in requests(&server) {
        let mut stream = connect(server.addr);
        stream.write_all(&request.bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Response::read(&mut stream, false);
        if answer.status == 100 {
            answer = Response::read(&mut stream, false);
        }
        assert!(answer.status == 200 || answer.status == 201, "{answer:?}");
    }
    assert_eq!(server.store.occupancy().pastes, requests(&server).len());
}

#[test]
fn a_half_closed_upgrade_to_a_websocket_is_refused_at_once() {
    let server = TestServer::start();
    let save = server.request("POST", "/").header("Connection", "upgrade");
    let mut stream = connect(server.addr);
    let save = save.header("Upgrade", "websocket").body("hello");
    stream.write_all(&save.bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    // To the library, the body of such a request has no end.
    assert_eq!(Response::read(&mut stream, false).status, 400);
}

#[test]
fn a_client_that_hangs_up_in_the_middle_of_an_answer_harms_no_other() {
    let server = TestServer::start();
    let saved = server.save(vec![b'x'; 1 << 20]);
    let request = server.request("GET", &saved.path).bytes();
    for read in [0, 1, 100, 1000, 10_000, 100_000, 500_000] {
        for _ in 0..8 {
            let mut stream = connect(server.addr);
            stream.write_all(&request).unwrap();
            stream.read_exact(&mut vec![0; read]).unwrap();
        }
    }
    assert_eq!(server.get(&saved.path).body.len(), 1 << 20);
}

#[test]
fn two_requests_on_one_connection_are_answered_in_turn() {
    let server = TestServer::start();
    let saved = server.save("x");
    let mut stream = connect(server.addr);
    let request = server
        .request("GET", &saved.path)
        .header("Connection", "keep-alive")
        .bytes();
    stream
        .write_all(&[request.clone(), request].concat())
        .unwrap();
    for _ in 0..2 {
        assert_eq!(Response::read(&mut stream, false).body, b"x");
    }
}
