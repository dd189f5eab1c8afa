//! The JSON API: `/api/v1/pastes`.

mod changing;
mod document;
mod errors;
mod reading;

use serde_json::{Value, json};

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::TestServer;

const PASTES: &str = "/api/v1/pastes";

/// A request with this JSON body. Like some clients, it does not say that the body is JSON.
fn with_json(server: &TestServer, method: &str, path: &str, body: &Value) -> Request {
    server.request(method, path).body(body.to_string())
}

fn save(server: &TestServer, body: &Value) -> Value {
    let answer = with_json(server, "POST", PASTES, body).send();
    assert_eq!(answer.status, 201, "{answer:?}");
    parsed(&answer)
}

fn path_of(saved: &Value) -> String {
    format!("{PASTES}/{}", saved["id"].as_str().unwrap())
}

/// The JSON of a response that is not an error.
fn parsed(answer: &Response) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).unwrap()
}

#[test]
fn a_saved_paste_is_one_object_and_reading_adds_its_content() {
    let server = TestServer::start();
    let body = json!({"content": "é\n", "title": "t", "language": "rs", "expires": "1m"});
    let answer = with_json(&server, "POST", PASTES, &body).send();
    let saved = parsed(&answer);
    let (id, base) = (
        saved["id"].as_str().unwrap(),
        format!("http://{}", server.addr),
    );
    let mut expected = json!({
        "id": id,
        "url": format!("{base}/{id}"),
        "raw_url": format!("{base}/raw/{id}"),
        "read_url": null,
        "token": answer.header("x-token").unwrap(),
        "delete_url": format!("{base}/{id}/delete#{}", answer.header("x-token").unwrap()),
        "kind": "paste",
        "title": "t",
        "language": "rust",
        "size": 3,
        "saved": 1_767_225_600_000_u64,
        "expires": 1_767_225_660_000_u64,
        "has_password": false,
        "reads_left": null,
        "etag": server.get(&format!("/raw/{id}")).header("etag").unwrap(),
    });
    assert_eq!((answer.status, &saved), (201, &expected));
    let location = format!("{base}{PASTES}/{id}");
    assert_eq!(answer.header("location"), Some(location.as_str()));

    let read = server.get(&path_of(&saved));
    expected.as_object_mut().unwrap().remove("token");
    expected.as_object_mut().unwrap().remove("delete_url");
    expected["content"] = json!("é\n");
    assert_eq!((read.status, parsed(&read)), (200, expected));
    assert_eq!(read.header("cache-control"), Some("no-store"));
}

#[test]
fn a_save_at_the_root_is_answered_by_the_object_if_the_client_accepts_json() {
    let server = TestServer::start();
    let of_object = |answer: &Response| {
        let saved = parsed(answer);
        let token = answer.header("x-token").unwrap();
        assert_eq!(saved["token"], token);
        let mut read = parsed(&server.get(&path_of(&saved)));
        read.as_object_mut().unwrap().remove("content");
        read["token"] = json!(token);
        read["delete_url"] = saved["delete_url"].clone();
        // The language is detected when the paste is read.
        read["language"] = saved["language"].clone();
        assert_eq!(saved, read);
        saved
    };
    let request = |method: &str, path: &str| {
        let request = server.request(method, path);
        request.header("Accept", "application/json")
    };
    for (method, path) in [("POST", "/"), ("PUT", "/"), ("PUT", "/main.rs")] {
        let answer = request(method, path).body("x").send();
        let saved = of_object(&answer);
        assert_eq!(answer.status, 201);
        assert_eq!(answer.header("location"), saved["url"].as_str());
    }
    for (form, kind) in [
        ("content=x&title=t", "paste"),
        ("url=https%3A%2F%2Fa.example", "link"),
    ] {
        let answer = request("POST", "/").form(form).send();
        assert_eq!(
            (answer.status, &of_object(&answer)["kind"]),
            (200, &json!(kind))
        );
    }
}

#[test]
fn bytes_that_are_not_text_travel_in_base64() {
    let server = TestServer::start();
    for (sent, content) in [
        ("/w==", &b"\xff"[..]),
        ("/w", b"\xff"),
        ("/+/+", b"\xff\xef\xfe"),
    ] {
        let saved = save(&server, &json!({ "content_base64": sent }));
        let id = saved["id"].as_str().unwrap();
        assert_eq!(server.get(&format!("/raw/{id}")).body, content);
        let read = parsed(&server.get(&path_of(&saved)));
        assert_eq!(read["content"], Value::Null);
        assert_eq!(read["language"], Value::Null);
        assert!(
            sent.starts_with(
                read["content_base64"]
                    .as_str()
                    .unwrap()
                    .trim_end_matches('=')
            )
        );
    }
    let text = save(&server, &json!({ "content_base64": "eA==" }));
    assert_eq!(parsed(&server.get(&path_of(&text)))["content"], "x");
}

#[test]
fn an_expiry_may_be_a_number_of_seconds_or_a_time_as_in_the_object() {
    let server = TestServer::start();
    let start = 1_767_225_600_000_u64;
    for (expires, lasts) in [(60, 60_000), (start + 90_000, 90_000)] {
        let saved = save(&server, &json!({"content": "x", "expires": expires}));
        assert_eq!(saved["expires"], start + lasts);
    }
}

#[test]
fn an_option_of_the_query_or_a_header_is_honoured_and_a_member_overrides_it() {
    let server = TestServer::start();
    let save = |path: &str, body: Value| {
        let request = with_json(&server, "POST", path, &body).header("X-Burn", "3");
        parsed(&request.header("X-Title", "of the header").send())
    };
    let path = format!("{PASTES}?title=of%20the%20query&expires=1h");
    let saved = save(&path, json!({"content": "x", "expires": "2h"}));
    assert_eq!(saved["reads_left"], 3);
    let lasts = saved["expires"].as_u64().unwrap() - saved["saved"].as_u64().unwrap();
    assert_eq!(lasts, 2 * 3_600_000);
    let seen = server
        .request("POST", &format!("{}/read", path_of(&saved)))
        .send();
    assert_eq!(parsed(&seen)["title"], "of the query");
    assert_eq!(
        save(PASTES, json!({"content": "x", "burn": 1}))["reads_left"],
        1
    );
}
