//! The API of haste: its JSON, its one option, and its errors.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Response;
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

fn parsed(answer: &Response) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).unwrap()
}

/// Saves a document and returns its key.
fn save(server: &TestServer, path: &str, body: &[u8]) -> String {
    let answer = server.request("POST", path).body(body).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    let saved = parsed(&answer);
    let key = saved["key"].as_str().unwrap().to_owned();
    assert_eq!(saved, json!({ "key": key }));
    key
}

/// Asserts that the answer is an error in the form of haste.
#[track_caller]
fn assert_refused(answer: &Response, status: u16) {
    let error = parsed(answer);
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(error["message"].as_str().unwrap().ends_with('.'));
    assert_eq!(error.as_object().unwrap().len(), 1, "{error}");
}

#[test]
fn a_document_is_saved_and_read_in_the_form_of_haste() {
    let server = TestServer::start();
    let key = save(&server, "/documents", "é\n".as_bytes());
    for path in [format!("/documents/{key}"), format!("/documents/{key}.rs")] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200);
        assert_eq!(parsed(&answer), json!({ "data": "é\n", "key": key }));
        assert_eq!(server.request("HEAD", &path).send().status, 200);
    }
    for path in ["raw", "share"].map(|route| format!("/{route}/{key}.rs")) {
        assert_eq!(server.get(&path).body, "é\n".as_bytes(), "{path}");
    }
    let page = server.browse(&format!("/share/{key}"));
    assert!(page.text().contains("<pre"), "{page:?}");
}

#[test]
fn a_client_may_add_its_path_to_an_address_that_ends_in_a_slash() {
    let server = TestServer::start();
    let key = save(&server, "//documents", b"a");
    assert_eq!(server.get(&format!("/documents/{key}")).status, 200);
    for path in [
        "//",
        "//help",
        "///documents",
        "//documents/",
        "//raw/AAAAAAAAAAAA",
    ] {
        let posted = server.request("POST", path).body("a").send();
        assert_eq!(posted.status, 404, "{path}");
    }
    let below = TestServer::with(&["--base-url", "http://h/p"]);
    save(&below, "/p//documents", b"a");
}

#[test]
fn a_document_is_the_whole_body_whatever_its_type_or_one_field_of_a_form() {
    let server = TestServer::start();
    let post = || server.request("POST", "/documents");
    let typed = |content_type: &str| {
        let post = post().header("Content-Type", content_type);
        post.body("text=a&burn=1")
    };
    for request in [
        typed("text/plain"),
        typed("application/x-www-form-urlencoded"),
        typed("application/json"),
        post().parts(&[("data", "text=a&burn=1")]),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, 200, "{answer:?}");
        let key = parsed(&answer)["key"].as_str().unwrap().to_owned();
        assert_eq!(server.get(&format!("/raw/{key}")).body, b"text=a&burn=1");
    }
    let answer = server.request("PUT", "/documents").body("a file").send();
    assert_eq!(answer.status, 201);
}

#[test]
fn ttl_seconds_is_honoured_to_the_second_or_refused() {
    let server = TestServer::with(&["--max-expiry", "1h"]);
    let key = save(&server, "/documents?ttl_seconds=3600", b"x");
    for value in ["", "0", "+1", "1h", "3601", "1&ttl_seconds=1"] {
        let path = format!("/documents?ttl_seconds={value}");
        assert_refused(&server.request("POST", &path).body("x").send(), 400);
    }
    assert_eq!(server.store.occupancy().pastes, 1);
    server.advance(Duration::from_secs(3599));
    assert_eq!(server.get(&format!("/documents/{key}")).status, 200);
    server.advance(Duration::from_secs(1));
    assert_refused(&server.get(&format!("/documents/{key}")), 410);
}

#[test]
fn a_refused_document_has_a_message_without_a_key_and_is_not_kept() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let post = |path: &str| server.request("POST", path).body("x");
    let many = [("data", "x"); 2].repeat(50_000);
    for (request, status) in [
        (server.request("POST", "/documents"), 400),
        (post("/documents").header("X-Burn", "1"), 400),
        (post("/documents").header("X-Password", "secret"), 400),
        (post("/documents").header("Expire", "60s"), 400),
        (post("/documents?burn=1"), 400),
        (post("/documents?ttl_seconds=60&burn=1"), 400),
        (post("/documents?ttl_seconds=%FF"), 400),
        (post("/documents").parts(&[]), 400),
        (
            server.request("POST", "/documents").parts(&[("data", "")]),
            400,
        ),
        (
            server
                .request("POST", "/documents")
                .parts(&[("data", "x"), ("burn", "1")]),
            400,
        ),
        (
            server
                .request("POST", "/documents")
                .parts(&[("data", "x"), ("data", "x")]),
            400,
        ),
        (server.request("POST", "/documents").parts(&many), 413),
        (server.request("DELETE", "/documents"), 405),
        (server.request("POST", "/documents/x").body("x"), 405),
    ] {
        assert_refused(&request.send(), status);
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_document_that_is_missing_restricted_or_binary_shows_nothing() {
    let server = TestServer::start();
    let save = |name: &str, value: &str| {
        let request = server.request("POST", "/").header(name, value);
        Saved::of(&request.body("SECRET").send()).id
    };
    let (burning, locked) = (save("X-Burn", "1"), save("X-Password", "hunter2"));
    let binary = server.save(b"\xff\0").id;
    for (key, status) in [
        (burning.as_str(), 403),
        (&locked, 403),
        (&binary, 406),
        ("nonsense", 404),
        ("%FF", 404),
    ] {
        assert_refused(&server.get(&format!("/documents/{key}")), status);
    }
    for (key, command) in [
        (&burning, "curl -X POST"),
        (&locked, "curl -F 'password=<pw.txt'"),
    ] {
        for path in ["/documents", "/record"] {
            let refused = server.get(&format!("{path}/{key}"));
            assert!(refused.text().contains(command), "{refused:?}");
        }
    }
    let opened = server.request("POST", &format!("/{burning}")).send();
    assert_eq!(opened.text(), "SECRET");
}
