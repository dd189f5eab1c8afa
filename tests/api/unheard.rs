//! What other pastebins understand and this one does not: refused, and never published.

use crate::client::Request;
use crate::server::{Saved, TestServer};

/// What another pastebin would lock and burn.
const LOCKED: &str = r#"{"text":"secret","password":"x","burn_after_reading":true}"#;

fn json(server: &TestServer, method: &str, path: &str, body: &str) -> Request {
    server
        .request(method, path)
        .header("Content-Type", "application/json")
        .body(body)
}

#[track_caller]
fn refused(server: &TestServer, request: &Request, words: &[&str]) {
    let before = server.store.occupancy();
    let answer = request.send();
    assert_eq!(answer.status, 400, "{answer:?}");
    let sentence = answer.sentence();
    for word in words {
        assert!(sentence.contains(word), "no {word} in {sentence:?}");
    }
    assert_eq!(server.store.occupancy(), before, "something was kept");
}

#[test]
fn json_that_asks_for_a_password_or_to_burn_is_400_and_not_published() {
    let server = TestServer::start();
    let words = ["JSON", "X-Password", "X-Burn", "text/plain"];
    let own = server.save("mine");
    for (method, path) in [("POST", "/"), ("PUT", "/"), ("PUT", "/a.json")] {
        for body in [LOCKED, r#"{"Burn":1}"#, r#"{"passphrase":"x"}"#] {
            refused(&server, &json(&server, method, path, body), &words);
        }
    }
    for label in [
        "Application/JSON; charset=utf-8",
        "application/vnd.paste+json",
    ] {
        let request = server.request("POST", "/").header("Content-Type", label);
        refused(&server, &request.body(LOCKED), &words);
    }
    let change = json(&server, "PUT", &own.path, LOCKED).header("X-Token", &own.token);
    refused(&server, &change, &words);
    assert_eq!(server.get(&own.raw()).text(), "mine");
}

#[test]
fn json_that_gets_what_it_asks_for_from_headers_is_saved_so() {
    let server = TestServer::start();
    let half = json(&server, "POST", "/", LOCKED).header("X-Burn", "1");
    refused(&server, &half, &["X-Password"]);
    let saved = Saved::of(&half.header("X-Password", "x").send());
    let read = server
        .request("POST", &saved.path)
        .header("X-Password", "x");
    assert_eq!(read.send().text(), LOCKED);
}

#[test]
fn other_json_and_what_is_not_labelled_so_is_saved_byte_for_byte() {
    let server = TestServer::start();
    for body in [
        r#"{ "text": "a", "user": {"password": "x"} }"#,
        r#"{"password":"","burn_after_reading":false}"#,
        r#"[{"burn":true}]"#,
        r#"{"password":"x","#,
    ] {
        let saved = Saved::of(&json(&server, "POST", "/", body).send());
        assert_eq!(server.get(&saved.raw()).text(), body);
    }
    let plain = server
        .request("POST", "/")
        .header("Content-Type", "text/plain");
    for request in [plain, server.request("PUT", "/a.json")] {
        let saved = Saved::of(&request.body(LOCKED).send());
        assert_eq!(server.get(&saved.raw()).text(), LOCKED);
    }
}
