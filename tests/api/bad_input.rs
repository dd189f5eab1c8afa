//! Bad input is refused with a clear message, and nothing is stored.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::client::{Request, Response, connect};
use crate::server::{Saved, TestServer};

const FORM: &str = "application/x-www-form-urlencoded";

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

fn multipart(server: &TestServer, body: &str) -> Request {
    let request = server
        .request("POST", "/")
        .header("Content-Type", "multipart/form-data; boundary=b");
    request.body(body)
}

fn part(name: &str, value: &str) -> String {
    format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
}

#[test]
fn an_empty_body_is_400_and_says_how_to_paste() {
    let server = TestServer::start();
    for request in [
        server.request("POST", "/"),
        server.request("POST", "/").body(""),
        server.request("PUT", "/name.txt").body(""),
        server.request("PUT", "/").chunked(&[]),
    ] {
        refused(&server, &request, 400, &["curl --data-binary"]);
    }
    let urlencoded = server.request("POST", "/").header("Content-Type", FORM);
    for form in [
        urlencoded.body("content="),
        multipart(&server, &format!("{}--b--\r\n", part("content", ""))),
        multipart(&server, &format!("{}--b--\r\n", part("lang", "rust"))),
    ] {
        refused(&server, &form, 400, &["no content", "curl -F"]);
    }
}

#[test]
fn a_body_larger_than_the_limit_is_413_and_the_limit_is_named() {
    let server = TestServer::with(&["--max-paste-size", "64KiB"]);
    let (largest, larger) = ("x".repeat(64 << 10), "x y\n".repeat(17 << 10));
    server.save(&largest);
    assert_eq!(
        Saved::of(&multipart(&server, &format!("{}--b--\r\n", part("c", &largest))).send())
            .id
            .len(),
        12
    );
    let encoded = format!("c={}", "%0A".repeat(64 << 10));
    assert_eq!(
        server
            .request("POST", "/")
            .header("Content-Type", FORM)
            .body(encoded)
            .send()
            .status,
        200
    );
    let chunk = larger.as_bytes();
    for request in [
        server.request("POST", "/").body(&larger),
        server.request("PUT", "/name").body(&larger),
        server
            .request("PUT", "/")
            .chunked(&[&chunk[..40_000], &chunk[40_000..]]),
        server
            .request("POST", "/")
            .header("Content-Type", FORM)
            .body(&larger),
        server
            .request("POST", "/")
            .header("Content-Type", FORM)
            .body(format!("c={}", "x".repeat(65 << 10))),
        multipart(&server, &format!("{}--b--\r\n", part("c", &larger))),
        multipart(
            &server,
            &format!("{}--b--\r\n", part("c", &"x".repeat(1 << 20))),
        ),
    ] {
        refused(&server, &request, 413, &["64 KiB"]);
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
    let post = |query: &str| server.request("POST", query).body("x");
    for (query, words) in [
        ("/?expires=10", &["`expires`", "`7d`"][..]),
        ("/?expires=soon", &["`expires`", "`7d`"]),
        ("/?expires=0s", &["`expires`", "zero"]),
        ("/?expires=31d", &["`expires`", "30 days"]),
        ("/?expires=never", &["`expires=never`", "`30d`"]),
        ("/?expires=99999999999999999999w", &["`expires`", "30 days"]),
        ("/?burm=1", &["`burm`", "`expires`"]),
        ("/?expire=1d", &["`expire`", "`expires`"]),
        ("/?expires=1d&expires=2d", &["`expires`", "once"]),
        ("/?title=%zz", &["name=value"]),
        ("/?title=%ff", &["name=value"]),
    ] {
        refused(&server, &post(query), 400, words);
    }
    refused(
        &server,
        &server
            .request("PUT", "/a")
            .header("X-Expires", "1")
            .body("x"),
        400,
        &["`expires`"],
    );
    let form = format!("{}{}--b--\r\n", part("content", "x"), part("burm", "1"));
    refused(&server, &multipart(&server, &form), 400, &["`burm`"]);
    let form = format!("{}{}--b--\r\n", part("content", "x"), part("expires", "1"));
    refused(
        &server,
        &multipart(&server, &form),
        400,
        &["`expires`", "`7d`"],
    );
    let form = server
        .request("POST", "/")
        .header("Content-Type", FORM)
        .body("c=x&expires=1");
    refused(&server, &form, 400, &["`expires`"]);
}

#[test]
fn a_repeated_option_header_is_400() {
    let server = TestServer::start();
    let request = server
        .request("POST", "/")
        .header("X-Expires", "1h")
        .header("X-Expires", "7d");
    refused(&server, &request.body("x"), 400, &["`expires`", "once"]);
}

#[test]
fn an_unknown_language_is_shown_as_plain_text() {
    let server = TestServer::start();
    let saved = Saved::of(&server.request("POST", "/?lang=klingon").body("x").send());
    assert!(server.browse(&saved.path).text().contains("Plain text"));
}

#[test]
fn a_broken_form_is_400_and_never_half_saved() {
    let server = TestServer::start();
    let whole = format!(
        "{}{}--b--\r\n",
        part("title", "t"),
        part("content", "all of it")
    );
    // Every prefix that lacks the last dash of the final delimiter is a broken form.
    let closed = whole.len() - "\r\n".len();
    for cut in 1..closed {
        refused(&server, &multipart(&server, &whole[..cut]), 400, &[]);
    }
    assert_eq!(multipart(&server, &whole).send().status, 200);
    let no_boundary = server
        .request("POST", "/")
        .header("Content-Type", "multipart/form-data")
        .body(&whole);
    refused(&server, &no_boundary, 400, &["form"]);
    let two = format!("{}{}--b--\r\n", part("content", "one"), part("text", "two"));
    refused(
        &server,
        &multipart(&server, &two),
        400,
        &["more than one content"],
    );
}

#[test]
fn a_compressed_body_is_415() {
    let server = TestServer::start();
    for encoding in ["gzip", "br", "x-unknown"] {
        let request = server
            .request("POST", "/")
            .header("Content-Encoding", encoding)
            .body("x");
        refused(&server, &request, 415, &["Content-Encoding"]);
    }
    let hidden = server
        .request("POST", "/")
        .header("Content-Encoding", "identity");
    refused(
        &server,
        &hidden.header("Content-Encoding", "gzip").body("x"),
        415,
        &[],
    );
    assert_eq!(
        server
            .request("POST", "/")
            .header("Content-Encoding", "Identity")
            .body("x")
            .send()
            .status,
        201
    );
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
fn odd_titles_are_stored_as_harmless_text_of_bounded_length() {
    let server = TestServer::start();
    let long = "é".repeat(10_000);
    for title in [
        "\"><script>alert(1)</script>",
        "a\r\nSet-Cookie: x=1",
        "../../etc/passwd",
        "\u{202e}gpj.exe",
        &long,
    ] {
        let encoded: String = title.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = server
            .request("POST", &format!("/?title={encoded}"))
            .body("x")
            .send();
        assert_eq!(answer.status, 201, "{title:?}");
        let saved = Saved::of(&answer);
        let page = server.browse(&saved.path);
        assert_eq!(page.status, 200);
        assert!(!page.text().contains("<script>alert"), "{title:?}");
        let download = server.get(&saved.download());
        let disposition = download.header("content-disposition").unwrap();
        assert!(
            disposition.bytes().all(|byte| (0x20..0x7f).contains(&byte)),
            "{disposition:?}"
        );
        assert!(
            !disposition.contains('/') && disposition.len() < 4096,
            "{disposition:?}"
        );
    }
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
