//! The errors of the JSON API.

use serde_json::{Value, json};

use crate::client::Response;
use crate::json_api::PASTES;
use crate::server::TestServer;

#[test]
fn bad_input_is_explained_and_stores_nothing() {
    let server = TestServer::start();
    let members = (0..100_000).map(|n| format!("\"m{n}\":1"));
    let many = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    let large = json!({"content": "x".repeat((1 << 20) + 1)}).to_string();
    let huge = json!({"content": "\u{0}".repeat(1_200_000)}).to_string();
    let same = |name: &str| format!("{{\"content\":\"x\",\"{name}\":null,\"{name}\":null}}");
    for (body, status, explained) in [
        ("", 400, "not a JSON object"),
        ("{\"content\":\"x\"", 400, "not a JSON object"),
        ("{}", 400, "no content"),
        ("{\"content\":\"\"}", 400, "empty"),
        (
            "{\"content\":\"x\",\"content_base64\":\"eA==\"}",
            400,
            "more than one of",
        ),
        ("{\"content_base64\":\"?\"}", 400, "`content_base64`"),
        ("{\"content\":1}", 400, "`content`"),
        ("{\"content\":\"\\ud800\"}", 400, "`content`"),
        ("{\"content\":\"x\",\"burm\":1}", 400, "did you mean `burn`"),
        (
            "{\"content\":\"x\",\"langage\":\"c\"}",
            400,
            "did you mean `language`",
        ),
        ("{\"text\":\"x\"}", 400, "did you mean `content`"),
        (
            "{\"content\":\"x\",\"lang\":\"c\"}",
            400,
            "did you mean `language`",
        ),
        ("{\"content\":\"x\",\"burn\":0}", 400, "Send the number"),
        ("{\"content\":\"x\",\"burn\":\"1\"}", 400, "`burn`"),
        ("{\"content\":\"x\",\"expires\":1.5}", 400, "`expires`"),
        ("{\"content\":\"x\",\"expires\":99999999}", 400, "1 year"),
        ("{\"content\":\"x\",\"expires\":1650460320000}", 400, "past"),
        ("{\"content\":\"x\",\"expires\":\"60\"}", 400, "a number"),
        (
            "{\"content\":\"x\",\"expires\":\"never\"}",
            400,
            "`expires=never`",
        ),
        (
            "{\"content\":\"x\",\"language\":\"klingon\"}",
            400,
            "`language`",
        ),
        ("{\"content\":\"x\",\"password\":\"\"}", 400, "`password`"),
        (&same("password"), 400, "more than once"),
        (&many, 400, "Unknown member `m0`"),
        (&large, 413, "1 MiB"),
        (&huge, 413, "1 MiB"),
    ] {
        let refused = server.request("POST", PASTES).body(body).send();
        let start = &body[..body.len().min(60)];
        assert_problem(&refused, status);
        let problem: Value = serde_json::from_slice(&refused.body).unwrap();
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(explained), "{start}: {detail}");
    }
    let refused = server
        .request("POST", PASTES)
        .body(b"{\"content\":\"\xff\"}");
    assert_problem(&refused.send(), 400);
    assert_eq!(server.store.occupancy().pastes, 0);
}

/// Asserts that the response is an error with problem details.
fn assert_problem(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
}

#[test]
fn every_error_of_the_api_is_json_whatever_the_client_accepts() {
    let server = TestServer::start();
    for (method, path, status) in [
        ("GET", PASTES, 401),
        ("PUT", PASTES, 405),
        ("POST", PASTES, 400),
        ("GET", "/api/v1/pastes/AAAAAAAAAAAA", 404),
        ("POST", "/api/v1/pastes/AAAAAAAAAAAA/read", 404),
        ("PATCH", "/api/v1/pastes/AAAAAAAAAAAA", 404),
        ("DELETE", "/api/v1/pastes/AAAAAAAAAAAA", 404),
        ("GET", "/api/v1/pastes/AAAAAAAAAAAA/stats", 404),
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v1", 404),
        ("POST", "/api/v1", 404),
        ("GET", "/api/v1/pastes/", 404),
    ] {
        for accept in ["text/html", "*/*"] {
            let request = server.request(method, path).header("Accept", accept);
            assert_problem(&request.send(), status);
        }
    }
}

#[test]
fn a_query_that_would_have_no_effect_is_400_and_uses_no_view() {
    let server = TestServer::start();
    let saved = crate::json_api::save(&server, &json!({"content": "a\nb\n", "burn": 1}));
    let token = saved["token"].as_str().unwrap();
    let path = crate::json_api::path_of(&saved);
    let none = "takes no options in its query";
    for (method, path, sentence) in [
        ("GET", format!("{path}?lines=1"), none),
        ("POST", format!("{path}/read?lines=1"), none),
        ("POST", format!("{path}/read?password=x"), none),
        (
            "GET",
            format!("{path}/stats?days=1"),
            "Unknown field `days`.",
        ),
        (
            "DELETE",
            format!("{path}?force=1"),
            "Unknown field `force`.",
        ),
    ] {
        let request = server.request(method, &path).header("X-Token", token);
        let refused = request.send();
        assert_problem(&refused, 400);
        assert!(refused.text().contains(sentence), "{refused:?}");
    }
    let read = server.request("POST", &format!("{path}/read")).send();
    assert_eq!(read.status, 200);
}
