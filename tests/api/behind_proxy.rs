//! What a trusted proxy tells about the URL of the server, and requests over HTTP/1.0, which some proxies send.

use std::io::{Read, Write};

use crate::client::{Request, connect};
use crate::process::Running;
use crate::server::TestServer;

/// A save with these headers of a proxy.
fn save(server: &TestServer, headers: &[(&str, &str)]) -> String {
    let mut request = Request::new(server.addr, "POST", "/").body("x");
    request = request.header("Host", "paste.example");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let saved = request.send();
    assert_eq!(saved.status, 201);
    let text = saved.text().trim_end();
    text.rsplit_once('/').expect("a URL").0.to_owned()
}

const PROTO: &str = "X-Forwarded-Proto";
const PREFIX: &str = "X-Forwarded-Prefix";

#[test]
fn links_have_the_scheme_and_the_prefix_that_a_trusted_proxy_reports() {
    let server = TestServer::unlimited(&[]);
    for (headers, expected) in [
        (&[][..], "http://paste.example"),
        (&[(PROTO, "https")], "https://paste.example"),
        (&[(PROTO, "http, https")], "https://paste.example"),
        (&[(PREFIX, "/evil, /bin")], "http://paste.example/bin"),
        (
            &[(PROTO, "http"), (PROTO, "https")],
            "https://paste.example",
        ),
        (&[(PREFIX, "/bin/")], "http://paste.example/bin"),
        (
            &[(PREFIX, "/evil"), (PREFIX, "/bin")],
            "http://paste.example/bin",
        ),
        (
            &[(PROTO, "https"), (PREFIX, "/my/bin")],
            "https://paste.example/my/bin",
        ),
        (&[(PROTO, "javascript")], "http://paste.example"),
        (
            &[(PROTO, "wss"), (PREFIX, "/bin")],
            "http://paste.example/bin",
        ),
        (&[(PREFIX, "//evil.example")], "http://paste.example"),
        (&[(PREFIX, "/a\"b")], "http://paste.example"),
        (&[(PREFIX, ".evil.example")], "http://paste.example"),
        (&[(PREFIX, "@evil.example")], "http://paste.example"),
    ] {
        assert_eq!(save(&server, headers), expected, "{headers:?}");
    }
}

#[test]
fn a_reported_prefix_is_before_the_links_of_pages_too() {
    let server = TestServer::unlimited(&[]);
    let page = Request::new(server.addr, "GET", "/")
        .header("Accept", "text/html")
        .header(PREFIX, "/bin")
        .send();
    assert!(page.text().contains("\"/bin/assets/"), "{}", page.text());
}

#[test]
fn reports_of_others_and_those_beside_a_base_url_are_ignored() {
    let headers = [(PROTO, "https"), (PREFIX, "/bin")];
    assert_eq!(save(&TestServer::start(), &headers), "http://paste.example");
    let server = TestServer::unlimited(&["--base-url", "http://own.example"]);
    assert_eq!(save(&server, &headers), "http://own.example");
}

#[test]
fn one_line_of_the_log_says_that_links_behind_a_proxy_lack_their_scheme() {
    let running = Running::start(&[
        "--trusted-proxies",
        "127.0.0.1",
        "--log",
        "warn,tidebin::http::server=info",
    ]);
    for _ in 0..2 {
        let get = running.request("GET", "/help").from("192.0.2.1");
        assert_eq!(get.send().status, 200);
    }
    running.send(rustix::process::Signal::TERM);
    let (_, log) = running.wait();
    assert_eq!(log.matches("X-Forwarded-Proto").count(), 1, "{log}");
}

/// Sends these bytes, and returns the whole answer.
fn exchange(server: &TestServer, pieces: &[&str]) -> String {
    let mut stream = connect(server.addr);
    for piece in pieces {
        stream.write_all(piece.as_bytes()).expect("it reads");
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    answer
}

#[test]
fn a_post_over_http_1_0_without_a_length_has_no_body() {
    let server = TestServer::start();
    let saved = server.request("POST", "/?burn=2").body("secret").send();
    let path = saved.text().trim_end().rsplit('/').next().expect("an id");
    for start in ["", "\r\n"] {
        let read = exchange(&server, &[&format!("{start}POST /{path} HTTP/1.0\r\n\r\n")]);
        assert!(
            read.starts_with("HTTP/1.0 200") && read.ends_with("\r\nsecret"),
            "{read}"
        );
    }
}

#[test]
fn a_post_over_http_1_0_with_a_length_has_its_body_and_the_next_request_follows() {
    let server = TestServer::start();
    let first = "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello";
    let empty = "POST /nothing HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    let answers = exchange(&server, &[first, empty, "GET /healthz HTTP/1.0\r\n\r\n"]);
    let statuses: Vec<&str> = answers
        .lines()
        .filter_map(|line| line.split_once("HTTP/1.0 ")?.1.get(..3))
        .collect();
    assert_eq!(statuses, ["201", "404", "200"], "{answers}");
}

#[test]
fn a_post_over_http_1_0_with_chunks_is_refused_and_ends_the_connection() {
    let server = TestServer::start();
    let chunked = "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n\
        0\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n";
    let answer = exchange(&server, &[chunked]);
    assert!(
        answer.starts_with("HTTP/1.0 400") || answer.starts_with("HTTP/1.1 400"),
        "{answer}"
    );
    assert_eq!(answer.matches("HTTP/1.").count(), 1, "{answer}");
}

#[test]
fn a_health_check_writes_no_line() {
    let running = Running::start(&[]);
    assert_eq!(running.request("GET", "/healthz").send().status, 200);
    assert_eq!(running.request("GET", "/help").send().status, 200);
    running.send(rustix::process::Signal::TERM);
    let (_, log) = running.wait();
    assert!(log.contains("/help") && !log.contains("/healthz"), "{log}");
}

#[test]
fn a_line_of_the_log_has_the_id_that_a_trusted_proxy_sent_and_no_other_id() {
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let lines = |args: &[&str]| {
        let mut running = Running::start(&[&["--log", "info"], args].concat());
        [
            ("X-Request-Id", "7f3a-B_9"),
            ("traceparent", trace),
            ("X-Request-Id", "192.0.2.1"),
        ]
        .map(|(name, value)| {
            let get = running.request("GET", "/help").header(name, value);
            assert_eq!(get.send().status, 200);
            let line = running.next_line();
            let (_, end) = line.split_once(" ms=").expect("a request");
            end.split_once(' ').map(|(_, id)| id.trim_end().to_owned())
        })
    };
    let trusted = lines(&["--trusted-proxies", "127.0.0.1"]);
    let expected = [
        Some("request_id=\"7f3a-B_9\"".to_owned()),
        Some("request_id=\"4bf92f3577b34da6a3ce929d0e0e4736\"".to_owned()),
        None,
    ];
    assert_eq!(trusted, expected);
    assert_eq!(lines(&[]), [None, None, None]);
}
