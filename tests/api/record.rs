//! The JSON API of 2019: its fields and its error codes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Response;
use crate::server::TestServer;

fn save(server: &TestServer, record: &Value) -> Response {
    server
        .request("POST", "/record")
        .body(record.to_string())
        .send()
}

fn parsed(answer: &Response) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).unwrap()
}

#[test]
fn a_record_is_saved_and_read_in_the_shape_of_2019() {
    let server = TestServer::start();
    let answer = save(
        &server,
        &json!({"title": "t", "lang": "rust", "content": "é\n", "expiration": 60}),
    );
    assert_eq!(answer.status, 200);
    assert!(answer.header("x-token").is_some());
    assert_eq!(answer.header("x-expires"), Some("1767225660000"));
    let saved = parsed(&answer);
    let key = saved["key"].as_str().unwrap();
    assert_eq!(saved, json!({ "key": key }));
    server.advance(Duration::from_secs(5));
    let path = format!("/record/{key}");
    for count in 1..=2 {
        let expected = json!({
            "title": "t", "lang": "rust", "content": "é\n", "saving_time": 1_767_225_600, "expiration": 60, "view_count": count
        });
        assert_eq!(parsed(&server.get(&path)), expected);
    }
    server.request("HEAD", &path).send();
    assert_eq!(parsed(&server.get(&path))["view_count"], 3);
    assert_eq!(server.get(&format!("/raw/{key}")).body, "é\n".as_bytes());
}

#[test]
fn refusals_have_the_codes_of_2019() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let record = |content: &str, expiration: u64| json!({"title": "", "lang": "", "content": content, "expiration": expiration});
    let code = |answer: &Response| (answer.status, parsed(answer)["code"].as_u64().unwrap());
    assert_eq!(code(&server.get("/record/Nonsense")), (400, 1001));
    assert_eq!(
        code(&save(&server, &record("x", 366 * 86_400))),
        (400, 1003)
    );
    assert_eq!(code(&save(&server, &record("x", 0))), (400, 1003));
    assert_eq!(code(&save(&server, &record("", 60))), (400, 1004));
    assert_eq!(
        code(&save(&server, &json!(["not", "a", "record"]))),
        (400, 1004)
    );
    assert_eq!(
        code(&save(&server, &json!(["title", "c", "content", 60]))),
        (400, 1004)
    );
    assert_eq!(
        code(&server.request("POST", "/record").body("{").send()),
        (400, 1004)
    );
    assert_eq!(server.store.occupancy().pastes, 0);

    let saved = save(&server, &record("x", 60));
    let path = format!("/record/{}", parsed(&saved)["key"].as_str().unwrap());
    server.advance(Duration::from_secs(60));
    assert_eq!(code(&server.get(&path)), (410, 1002));
    let gone_long_ago = server.get("/record/AAAAAAAAAAAA");
    assert!(matches!(code(&gone_long_ago), (400, 1001) | (404, 1002)));
}

#[test]
fn a_paste_that_is_not_text_has_no_record() {
    let server = TestServer::start();
    let saved = server.save(b"\xff");
    let answer = server.get(&format!("/record/{}", saved.id));
    assert_eq!(answer.status, 406);
    assert!(
        parsed(&answer)["message"]
            .as_str()
            .unwrap()
            .contains("/raw/")
    );
}

#[test]
fn an_option_that_a_record_cannot_express_is_refused_with_the_way_to_save_it() {
    let server = TestServer::start();
    let record = || json!({"title": "t", "lang": "c", "content": "SECRET", "expiration": 60});
    let with = |name: &str, value: Value| {
        let mut record = record();
        record[name] = value;
        server.request("POST", "/record").body(record.to_string())
    };
    let asked_for = |path: &str| server.request("POST", path).body(record().to_string());
    for request in [
        asked_for("/record?burn=1&password=x"),
        asked_for("/record?expires=60s"),
        asked_for("/record").header("X-Burn", "1"),
        asked_for("/record").header("X-Password", "hunter2"),
        asked_for("/record").header("X-Lang", "c"),
        with("burn", json!(1)),
        with("password", json!("hunter2")),
        with("Expiration", json!(30)),
        with("burn", json!(0)),
        with("version", json!("1.0")),
    ] {
        let answer = request.send();
        let told = parsed(&answer);
        assert_eq!((answer.status, &told["code"]), (400, &json!(1004)));
        let message = told["message"].as_str().unwrap();
        assert!(message.contains("curl") && message.contains("password"));
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}
