//! Reading a paste through the JSON API.

use serde_json::{Value, json};

use crate::forms::Forms;
use crate::json_api::{PASTES, parsed, path_of, save, with_json};
use crate::server::{Saved, TestServer};

#[test]
fn a_get_is_a_view_of_an_open_paste_and_a_head_is_not() {
    let server = TestServer::start();
    let saved = save(&server, &json!({"content": "#!/bin/sh\n"}));
    assert_eq!(saved["language"], Value::Null);
    let (path, token) = (path_of(&saved), saved["token"].as_str().unwrap());
    assert_eq!(server.request("HEAD", &path).send().status, 200);
    assert_eq!(parsed(&server.get(&path))["language"], "bash");
    let stats = |path: String| {
        let request = server.request("GET", &path).header("X-Token", token);
        parsed(&request.header("Accept", "application/json").send())
    };
    let counts = stats(format!("{path}/stats"));
    assert_eq!(
        (&counts["reads"], &counts["kind"]),
        (&json!(1), &json!("paste"))
    );
    let id = saved["id"].as_str().unwrap();
    assert_eq!(counts, stats(format!("/{id}/stats")));
}

#[test]
fn a_paste_that_burns_shows_its_content_to_a_post_alone() {
    let server = TestServer::start();
    let saved = save(&server, &json!({"content": "x", "title": "t", "burn": 2}));
    let path = path_of(&saved);
    let read_url = saved["read_url"].as_str().unwrap();
    assert_eq!(read_url, format!("http://{}{path}/read", server.addr));
    for _ in 0..2 {
        let seen = parsed(&server.get(&path));
        assert_eq!(seen["reads_left"], 2);
        for hidden in ["content", "title", "size", "etag"] {
            assert_eq!(seen[hidden], Value::Null, "{hidden}");
        }
    }
    let read = format!("{path}/read");
    for left in [1, 0] {
        let seen = parsed(&server.request("POST", &read).send());
        assert_eq!(
            (&seen["content"], &seen["title"], &seen["size"]),
            (&json!("x"), &json!("t"), &json!(1))
        );
        assert_eq!(seen["reads_left"], left);
    }
    assert_eq!(server.request("POST", &read).send().status, 410);
}

#[test]
fn a_password_opens_a_paste_from_the_body_or_the_header() {
    let server = TestServer::start();
    let saved = save(
        &server,
        &json!({"content": "x", "title": "t", "password": "p\n"}),
    );
    assert_eq!(
        (&saved["has_password"], &saved["size"]),
        (&json!(true), &Value::Null)
    );
    let read = format!("{}/read", path_of(&saved));
    let of_body = with_json(&server, "POST", &read, &json!({"password": "p"}));
    let of_header = server.request("POST", &read).header("X-Password", "p");
    for request in [of_body, of_header] {
        let seen = parsed(&request.send());
        assert_eq!(
            (&seen["content"], &seen["title"], &seen["size"]),
            (&json!("x"), &json!("t"), &json!(1))
        );
    }
    for body in [
        json!({"password": "q"}),
        json!({}),
        json!({"password": null}),
    ] {
        let refused = with_json(&server, "POST", &read, &body).send();
        assert_eq!(refused.status, 401);
        assert_eq!(refused.header("www-authenticate"), Some("X-Password"));
        assert!(!refused.text().contains("curl -F"), "{refused:?}");
    }
    let refused = server.request("POST", &read).body("p").send();
    assert_eq!(refused.status, 400);
    assert!(!refused.text().contains("content"), "{refused:?}");
}

#[test]
fn a_short_link_is_an_object_with_its_target() {
    let server = TestServer::start();
    let saved = server.request("POST", "/");
    let saved = Saved::of(&saved.form("url=https%3A%2F%2Fa.example%2F").send());
    let seen = parsed(&server.get(&format!("{PASTES}/{}", saved.id)));
    assert_eq!(
        (&seen["kind"], &seen["content"]),
        (&json!("link"), &json!("https://a.example/"))
    );
}
