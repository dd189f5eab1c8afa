//! Guesses at passwords: their cost, when a client may try again, and that no guess uses up a read.

use std::time::Duration;

use crate::client::Response;
use crate::server::{Saved, TestServer};

const CONTENT: &str = "content";
const RIGHT: &str = "right";
const ALICE: &str = "192.0.2.1";
const BOB: &str = "198.51.100.1";

fn save(server: &TestServer, path: &str) -> Saved {
    let request = server.request("POST", path).header("X-Password", RIGHT);
    Saved::of(&request.body(CONTENT).send())
}

/// Sends a password as the client at this address, and asks for errors as problem details.
fn guess(server: &TestServer, from: &str, path: &str, password: &str) -> Response {
    let request = server.request("POST", path).from(from);
    let request = request.header("Accept", "application/json");
    request.header("X-Password", password).send()
}

#[test]
fn ten_wrong_guesses_are_enough_for_now_and_a_right_one_costs_nothing() {
    let server = TestServer::limited(&[]);
    let saved = save(&server, "/?burn=50");
    for _ in 0..12 {
        assert_eq!(guess(&server, ALICE, &saved.path, RIGHT).status, 200);
    }
    for _ in 0..10 {
        assert_eq!(guess(&server, ALICE, &saved.path, "wrong").status, 401);
    }
    // Right and wrong guesses get the same response now, and nothing is read.
    for password in ["wrong", RIGHT] {
        let refused = guess(&server, ALICE, &saved.path, password);
        assert_eq!(
            (refused.status, refused.header("retry-after")),
            (429, Some("10"))
        );
        let details: serde_json::Value = serde_json::from_slice(&refused.body).unwrap();
        assert_eq!(
            details["violated-policies"],
            serde_json::json!(["password-1"])
        );
        assert!(!refused.text().contains(CONTENT));
    }
    assert_eq!(guess(&server, BOB, &saved.path, RIGHT).status, 200);
    server.advance(Duration::from_secs(10));
    assert_eq!(guess(&server, ALICE, &saved.path, RIGHT).status, 200);
    assert_eq!(guess(&server, ALICE, &saved.path, "wrong").status, 401);
    assert_eq!(guess(&server, ALICE, &saved.path, "wrong").status, 429);
    let counts = server.request("GET", &format!("{}/stats", saved.path));
    let counts = counts.header("Accept", "application/json");
    let counts = counts.header("X-Token", &saved.token).send();
    let counts: serde_json::Value = serde_json::from_slice(&counts.body).unwrap();
    assert_eq!(counts["reads"], 14);
}

#[test]
fn a_missing_password_is_a_guess_for_a_post_and_not_for_a_get() {
    let server = TestServer::limited(&[]);
    let saved = save(&server, "/");
    for _ in 0..20 {
        let look = server.request("GET", &saved.path).from(ALICE).send();
        assert_eq!(look.status, 401);
    }
    let read = || {
        server
            .request("POST", &saved.path)
            .from(ALICE)
            .send()
            .status
    };
    for _ in 0..10 {
        assert_eq!(read(), 401);
    }
    assert_eq!(read(), 429);
}
