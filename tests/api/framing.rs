//! Requests whose target, framing or encoding is unusual.

use std::io::{Read, Write};

use crate::client::{Response, connect};
use crate::server::TestServer;

fn status(server: &TestServer, request: &str) -> u16 {
    let mut stream = connect(server.addr);
    stream.write_all(request.as_bytes()).unwrap();
    Response::read(&mut stream, false).status
}

#[test]
fn a_target_without_a_slash_saves_nothing() {
    let server = TestServer::start();
    for (line, expected) in [
        ("PUT x.txt", 404),
        ("POST x", 404),
        ("GET x.txt", 404),
        ("OPTIONS *", 404),
        ("PUT http://h/x.txt", 201),
        ("PUT http://h", 201),
    ] {
        let length = if line.starts_with('P') {
            "Content-Length: 1\r\n"
        } else {
            ""
        };
        let body = if length.is_empty() { "" } else { "x" };
        let request = format!("{line} HTTP/1.1\r\nHost: h\r\n{length}\r\n{body}");
        assert_eq!(status(&server, &request), expected, "{line}");
    }
    assert_eq!(server.store.occupancy().pastes, 2);
}

#[test]
fn a_request_after_the_last_one_of_a_connection_is_not_processed() {
    let server = TestServer::start();
    let save = |version: &str, header: &str| {
        format!("PUT / HTTP/{version}\r\nHost: h\r\n{header}Content-Length: 1\r\n\r\nx")
    };
    for (first, saved) in [
        (save("1.1", "Connection: close\r\n"), 1),
        (save("1.0", ""), 1),
        (save("1.1", ""), 2),
        (save("1.0", "Connection: keep-alive\r\n"), 2),
    ] {
        let before = server.store.occupancy().pastes;
        let mut stream = connect(server.addr);
        let second = save("1.1", "Connection: close\r\n");
        stream
            .write_all(format!("{first}{second}").as_bytes())
            .unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        let pastes = server.store.occupancy().pastes - before;
        assert_eq!(pastes, saved, "{first}");
    }
}

#[test]
fn the_form_of_the_editor_in_another_encoding_is_refused_with_the_way_to_send_it() {
    let server = TestServer::start();
    let saved = server.save("x");
    let request = server.request("POST", &format!("{}/edit", saved.path));
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    let request = request.header("X-Token", &saved.token);
    let refused = request.body("content=y").send();
    assert_eq!(refused.status, 400);
    assert!(refused.sentence().contains("curl -F 'content=<notes.txt'"));
    assert_eq!(server.get(&saved.raw()).text(), "x");
}
