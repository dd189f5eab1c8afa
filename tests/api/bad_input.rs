//! Bad input is refused with a clear message, and nothing is stored.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::client::{Request, Response, connect};
use crate::forms::{Forms, MULTIPART};
use crate::server::{Saved, TestServer};

fn refused(server: &TestServer, request: &Request, status: u16, words: &[&str]) {
    let before = server.store.occupancy();
    let answer = request.send();
    assert_eq!(answer.status, status, "{answer:?}");
    let sentence = answer.sentence();
    for word in words {
        assert!(sentence.contains(word), "no {word} in {sentence:?}");
    }
    assert_eq!(server.store.occupancy(), before, "something was kept");
}

#[test]
fn an_empty_body_is_400_and_says_how_to_paste() {
    let server = TestServer::start();
    for request in [
        server.request("POST", "/"),
        server.request("PUT", "/name.txt").body(""),
        server.request("PUT", "/").chunked(&[]),
    ] {
        refused(&server, &request, 400, &["curl --data-binary"]);
    }
    let post = || server.request("POST", "/");
    for form in [post().form("content="), post().parts(&[("lang", "rust")])] {
        refused(&server, &form, 400, &["no content", "curl -F"]);
    }
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_sent() {
    let server = TestServer::start();
    // The client sends only the head and the first bytes; it still gets the response.
    for head in [
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\nfirst",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n",
    ] {
        let mut stream = connect(server.addr);
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Response::read(&mut stream, false);
        if answer.status == 100 {
            answer = Response::read(&mut stream, false);
        }
        assert_eq!(answer.status, 413, "{head}");
    }
}

#[test]
fn a_client_that_is_still_sending_reads_the_refusal_and_no_reset() {
    let server = TestServer::with(&["--max-paste-size", "64KiB"]);
    let body = vec![b'x'; 4 << 20];
    for request in [
        server.request("POST", "/").body(&body),
        server.request("PUT", "/").chunked(&[&body]),
    ] {
        let mut stream = connect(server.addr);
        // The client sends everything before it reads the response, as many clients do.
        stream
            .write_all(&request.bytes())
            .expect("the server takes what is sent into the void");
        assert_eq!(Response::read(&mut stream, false).status, 413);
        let _ = stream.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("closed, not reset");
        assert!(rest.is_empty());
    }
}

#[test]
fn a_wrong_option_is_400_and_is_named_with_the_allowed_form() {
    let server = TestServer::start();
    let post = |query: &str| server.request("POST", query);
    for (request, words) in [
        (post("/?expires=366d").body("x"), ["`expires`", "1 year"]),
        (post("/?burm=1").body("x"), ["`burm`", "`expires`"]),
        (
            post("/?expires=1d&expires=2d").body("x"),
            ["`expires`", "once"],
        ),
        (post("/?title=%zz").body("x"), ["name=value", ""]),
        (
            post("/").header("X-Expires", "1").body("x"),
            ["`expires`", "`7d`"],
        ),
        (
            post("/")
                .header("X-Expires", "1h")
                .header("X-Expires", "7d"),
            ["`expires`", "once"],
        ),
        (post("/").form("c=x&expires=1"), ["`expires`", "`7d`"]),
        (
            post("/").parts(&[("c", "x"), ("burm", "1")]),
            ["`burm`", ""],
        ),
        (
            post("/").parts(&[("c", "one"), ("text", "two")]),
            ["more than one content", ""],
        ),
        (
            post("/").header("Content-Type", MULTIPART).body("--b\r\n"),
            ["form", ""],
        ),
    ] {
        refused(&server, &request, 400, &words);
    }
}

#[test]
fn a_wrong_method_is_405_and_says_which_are_right() {
    let server = TestServer::start();
    let saved = server.save("x");
    for (method, path, allowed) in [
        ("DELETE", "/", "GET, HEAD, POST, PUT"),
        ("OPTIONS", "/", "GET, HEAD, POST, PUT"),
        ("PATCH", &saved.path, "GET, HEAD, POST, PUT, DELETE"),
        ("PUT", &saved.raw(), "GET, HEAD, POST, DELETE"),
        ("PUT", &saved.download(), "GET, HEAD, POST, DELETE"),
        ("DELETE", "/healthz", "GET, HEAD, PUT"),
        ("GET", "/record", "POST, PUT"),
        ("X-ODD", "/record/x", "GET, HEAD"),
    ] {
        let answer = server.request(method, path).send();
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some(allowed)),
            "{method} {path}"
        );
    }
}

#[test]
fn an_invalid_host_is_400_and_a_missing_one_becomes_the_address() {
    let server = TestServer::start();
    for host in ["a b", "evil\"", "x/y", "user@host"] {
        let answer = server
            .request("POST", "/")
            .header("Host", host)
            .body("x")
            .send();
        assert_eq!(answer.status, 400, "{host:?}");
    }
    let mut stream = connect(server.addr);
    stream
        .write_all(b"POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx")
        .unwrap();
    let saved = Saved::of(&Response::read(&mut stream, false));
    assert_eq!(saved.url, format!("http://{}{}", server.addr, saved.path));
}

#[test]
fn refusals_come_as_a_sentence_as_problem_details_or_as_a_page() {
    let server = TestServer::start();
    let ask = |accept: &str| {
        server
            .request("GET", "/AAAAAAAAAAAA")
            .header("Accept", accept)
            .send()
    };
    assert!(ask("*/*").sentence().contains("no paste at this URL"));
    let json = ask("application/json");
    assert_eq!(
        json.header("content-type"),
        Some("application/problem+json")
    );
    let details: serde_json::Value = serde_json::from_slice(&json.body).unwrap();
    assert_eq!(
        (&details["status"], &details["title"]),
        (&404.into(), &"Not found".into())
    );
    assert_eq!(details["type"], "/api#not-found");
    assert!(
        details["detail"]
            .as_str()
            .unwrap()
            .contains("no paste at this URL")
    );
    let page = ask("text/html");
    assert_eq!(
        (page.status, page.header("content-type")),
        (404, Some("text/html; charset=utf-8"))
    );
    assert!(page.text().contains("no paste at this URL"));
}

#[test]
fn malformed_bytes_are_answered_or_closed_and_the_server_continues() {
    let server = TestServer::start();
    let long = format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "a".repeat(200_000));
    for rubbish in [
        "\r\n\r\n\r\n",
        "\0\0\0\0",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\nHost: h\r\n\r\nzz\r\n",
        &long,
    ] {
        let mut stream = connect(server.addr);
        let _ = stream.write_all(rubbish.as_bytes());
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(
            !answer.starts_with(b"HTTP/1.1 5"),
            "{rubbish:?}: {:?}",
            String::from_utf8_lossy(&answer)
        );
    }
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert_eq!(server.store.occupancy().pastes, 0);
}
