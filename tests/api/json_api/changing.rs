//! Changing and deleting a paste through the JSON API.

use std::time::Duration;

use serde_json::{Value, json};

use crate::json_api::{parsed, path_of, save, with_json};
use crate::server::TestServer;

#[test]
fn a_change_names_what_changes_and_nothing_else_does() {
    let server = TestServer::start();
    let saved = save(
        &server,
        &json!({"content": "x", "title": "t", "language": "c", "expires": "1h"}),
    );
    let (path, token) = (path_of(&saved), saved["token"].as_str().unwrap());
    let change = |body: Value| {
        let answer = with_json(&server, "PATCH", &path, &body)
            .header("X-Token", token)
            .send();
        assert_eq!(answer.status, 200, "{answer:?}");
        parsed(&answer)
    };
    let mut expected = saved.clone();
    expected.as_object_mut().unwrap().remove("token");
    expected.as_object_mut().unwrap().remove("delete_url");
    server.advance(Duration::from_secs(1));
    expected["title"] = json!("u");
    assert_eq!(change(json!({"title": "u"})), expected);
    expected["title"] = Value::Null;
    assert_eq!(change(json!({"title": null})), expected);
    expected["language"] = json!("rust");
    assert_eq!(change(json!({"language": "rust"})), expected);
    expected["expires"] = json!(saved["saved"].as_u64().unwrap() + 61_000);
    assert_eq!(change(json!({"expires": "60s", "title": null})), expected);
    let changed = change(json!({"content": "yz", "title": "v"}));
    expected["saved"] = json!(saved["saved"].as_u64().unwrap() + 1000);
    (expected["size"], expected["title"]) = (json!(2), json!("v"));
    expected["etag"] = changed["etag"].clone();
    assert_eq!(changed, expected);
    assert_ne!(changed["etag"], saved["etag"]);
}

#[test]
fn a_change_with_if_match_needs_the_content_of_that_tag() {
    let server = TestServer::start();
    let saved = save(&server, &json!({"content": "x"}));
    let change = |tag: &str| {
        let request = with_json(&server, "PATCH", &path_of(&saved), &json!({"content": "y"}));
        let request = request.header("X-Token", saved["token"].as_str().unwrap());
        request.header("If-Match", tag).send().status
    };
    let tag = saved["etag"].as_str().unwrap();
    assert_eq!(
        [change("\"other\""), change(tag), change(tag)],
        [412, 200, 412]
    );
}

#[test]
fn a_forbidden_change_is_refused_whole() {
    let server = TestServer::start();
    for (paste, change) in [
        (json!({"content": "x"}), json!({"title": "u", "burn": 1})),
        (
            json!({"content": "x"}),
            json!({"content": "y", "password": "p"}),
        ),
        (json!({"content": "x"}), json!({})),
        (
            json!({"content": "x", "burn": 1}),
            json!({"content": "y", "burn": 2}),
        ),
        (
            json!({"content": "x", "password": "p"}),
            json!({"content": "y"}),
        ),
        (
            json!({"content": "x", "password": "p"}),
            json!({"title": "u"}),
        ),
    ] {
        let saved = save(&server, &paste);
        let path = path_of(&saved);
        let before = server.get(&path).body;
        let request = with_json(&server, "PATCH", &path, &change);
        let refused = request
            .header("X-Token", saved["token"].as_str().unwrap())
            .send();
        assert_eq!(refused.status, 400, "{change}: {refused:?}");
        assert_eq!(server.get(&path).body, before, "{change}");
    }
}
