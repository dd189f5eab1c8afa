//! Keys that are wrong.

use std::time::Duration;

use base64::Engine;

use super::{KeysFile, basic, bearer, server};
use crate::server::TestServer;

const CLIENT: &str = "192.0.2.1";

#[test]
fn a_truncated_ended_or_foreign_key_is_refused() {
    let (server, file, key) = server("save-by-key");
    let (_, _, foreign) = super::server("open");
    let ended = file.make_until("past", "1969-12-31");
    let server = {
        drop(server);
        TestServer::with(&["--access", "save-by-key", "--keys", file.path()])
    };
    let longer = format!("{key}x");
    for wrong in [
        &key[..25],
        &longer,
        &foreign,
        &ended,
        "tbk_",
        &key.to_uppercase(),
    ] {
        for authorization in [format!("Bearer {wrong}"), basic(wrong)] {
            let request = server.request("POST", "/").body("x");
            let answer = request.header("Authorization", &authorization).send();
            assert_eq!(answer.status, 401, "{wrong}");
        }
    }
    let answer = bearer(server.request("GET", "/help"), &foreign).send();
    assert_eq!(answer.status, 401);
    let sentence = "This key is not valid here: it is mistyped, revoked or expired. Check it, or ask the operator for a new one.";
    assert_eq!(answer.sentence(), sentence);
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_key_in_a_form_that_is_not_read_is_refused_and_not_ignored() {
    let (server, _file, key) = server("open");
    let user = base64::engine::general_purpose::STANDARD.encode(format!("{key}:"));
    let secret = "tbo_0123456789abcdefghijkl";
    for authorization in [
        &key[..25],
        &format!("Digest token=\"{secret}\""),
        &format!("Basic {user}"),
    ] {
        for (method, path) in [("POST", "/"), ("PUT", "/x.txt"), ("POST", "/documents")] {
            let request = server.request(method, path).body("x");
            let refused = request.header("Authorization", authorization).send();
            assert_eq!(refused.status, 400, "{authorization}");
            let answer = refused.text();
            assert!(answer.contains("`Authorization: Bearer tbk_…`"), "{answer}");
        }
    }
    assert_eq!(server.store.occupancy().pastes, 0);
    // Credentials of another program are ignored.
    for authorization in ["Token abc", "Digest username=\"me\"", "Bearer abc"] {
        let request = server.request("POST", "/").body("x");
        let saved = request.header("Authorization", authorization).send();
        assert_eq!(saved.status, 201, "{authorization}");
    }
}

#[test]
fn a_client_that_guesses_keys_is_limited_even_if_a_guess_is_right() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = TestServer::limited(&["--access", "private", "--keys", file.path()]);
    let try_key = |client, authorization: &str| {
        let request = server.request("GET", "/help").from(client);
        request.header("Authorization", authorization).send().status
    };
    let (right, wrong) = (format!("Bearer {key}"), basic("tbk_0123456789abcdefghijkl"));
    // Given a client that guessed as often as it may
    for _ in 0..20 {
        assert_eq!(try_key(CLIENT, &wrong), 401);
        assert_eq!(try_key(CLIENT, "Bearer tbk_guess"), 401);
        assert_eq!(try_key(CLIENT, "Bearer the-operators-token"), 401);
    }
    // Then its next guess is not even compared, and other clients are not affected
    assert_eq!(try_key(CLIENT, &right), 429);
    assert_eq!(try_key("198.51.100.1", &right), 200);
    // And it may try again later
    server.advance(Duration::from_secs(1));
    assert_eq!(try_key(CLIENT, &right), 200);
}
