//! Owners: a client that saves with an owner's secret may list, extend, change, count and delete those pastes.

mod browsers;
mod devices;

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

const LIST: &str = "/api/v1/pastes";
const SECRET: &str = "tbo_0123456789abcdefABCDEF";
const OTHER: &str = "tbo_FEDCBAfedcba9876543210";

fn with(request: Request, secret: &str) -> Request {
    request.header("Authorization", format!("Bearer {secret}"))
}

fn save(server: &TestServer, secret: &str, content: &str) -> Saved {
    let request = server.request("POST", "/").body(content);
    Saved::of(&with(request, secret).send())
}

fn page(server: &TestServer, secret: &str, query: &str) -> Value {
    let request = server.request("GET", &format!("{LIST}{query}"));
    let answer = with(request, secret).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_slice(&answer.body).unwrap()
}

fn listed(server: &TestServer, secret: &str) -> Vec<String> {
    let page = page(server, secret, "");
    assert_eq!(page["next"], Value::Null);
    let pastes = page["pastes"].as_array().unwrap().iter();
    let id = |paste: &Value| paste["id"].as_str().unwrap().to_owned();
    pastes.map(id).collect()
}

#[test]
fn a_list_has_the_pastes_of_its_owner_alone_the_newest_first() {
    let mut server = TestServer::start();
    let mine = [save(&server, SECRET, "one"), save(&server, SECRET, "two")];
    let other = save(&server, OTHER, "three");
    server.save("without an owner");
    for _ in 0..2 {
        assert_eq!(listed(&server, SECRET), [&*mine[1].id, &*mine[0].id]);
        assert_eq!(listed(&server, OTHER), [&*other.id]);
        assert_eq!(listed(&server, &format!("{OTHER}x")), [""; 0]);
        // On disk, the lists outlive the server.
        if crate::server::Tier::chosen() == crate::server::Tier::Memory {
            return;
        }
        server = server.restart();
    }
}

#[test]
fn a_list_names_what_has_no_title_and_the_page_shows_its_first_line() {
    let server = TestServer::start();
    let text = "use std::fs;\n\nstruct Ledger {\n    rows: Vec<u8>,\n}\n\nimpl Ledger {}\n";
    // Given open pastes, and one for a single reader
    let mine = save(&server, SECRET, text);
    let burning = server.request("POST", "/").header("X-Burn", "1").body(text);
    assert_eq!(with(burning, SECRET).send().status, 201);
    let link = server
        .request("POST", "/")
        .form("url=https://example.org/a");
    assert_eq!(with(link, SECRET).send().status, 200);
    let tell = || {
        let page = page(&server, SECRET, "");
        let pastes = page["pastes"].as_array().unwrap().iter();
        let told = pastes.map(|paste| (paste["name"].clone(), paste["language"].clone()));
        told.collect::<Vec<_>>()
    };
    let [link, burning] = [
        (json!("https://example.org/a"), json!("text")),
        (Value::Null, Value::Null),
    ];
    assert_eq!(tell()[..2], [link, burning]);
    assert_eq!(tell()[2], (json!("struct Ledger"), json!("rust")));
    let shown = server.request("GET", "/mine").header("Accept", "text/html");
    let shown = with(shown, SECRET).send();
    assert!(
        shown
            .text()
            .contains("<code><bdi>use std::fs;</bdi></code>")
    );
    // When the open one changes
    let change = server.request("PATCH", &format!("{LIST}/{}", mine.id));
    let change = change.body(r#"{"content": "{\"name\": \"tide\", \"version\": 1}"}"#);
    assert_eq!(with(change, SECRET).send().status, 200);
    // Then so do its name and its language
    assert_eq!(tell()[2], (json!("tide"), json!("json")));
}

#[test]
fn a_list_tells_what_its_owner_wants_to_know_and_nothing_that_is_encrypted() {
    let server = TestServer::start();
    let save = |body: Value| {
        let request = server.request("POST", LIST).body(body.to_string());
        assert_eq!(with(request, SECRET).send().status, 201);
    };
    save(json!({"content": "abc", "title": "open", "language": "rust", "expires": "1h"}));
    save(json!({"content": "abcd", "title": "burns", "burn": 2}));
    save(json!({"content": "abcde", "title": "locked", "password": "p"}));
    let page = page(&server, SECRET, "");
    let tell = |at: usize| {
        let paste = &page["pastes"][at];
        ["title", "language", "size", "has_password", "reads_left"].map(|name| &paste[name])
    };
    assert_eq!(
        tell(2),
        [
            &json!("open"),
            &json!("rust"),
            &json!(3),
            &json!(false),
            &Value::Null
        ]
    );
    assert_eq!(
        tell(1),
        [
            &json!("burns"),
            &Value::Null,
            &json!(4),
            &json!(false),
            &json!(2)
        ]
    );
    assert_eq!(
        tell(0),
        [
            &Value::Null,
            &Value::Null,
            &Value::Null,
            &json!(true),
            &Value::Null
        ]
    );
    let open = &page["pastes"][2];
    let lasts = open["expires"].as_u64().unwrap() - open["saved"].as_u64().unwrap();
    assert_eq!((lasts, &open["reads"]), (3_600_000, &json!(0)));
}

#[test]
fn a_long_list_comes_in_pages_and_deleting_page_after_page_empties_it() {
    let server = TestServer::start();
    let saved: Vec<_> = (0..120)
        .map(|n| save(&server, SECRET, &n.to_string()))
        .collect();
    let (mut seen, mut query) = (Vec::new(), String::new());
    loop {
        let page = page(&server, SECRET, &query);
        let pastes = page["pastes"].as_array().unwrap();
        assert!(pastes.len() <= 50);
        for paste in pastes {
            let id = paste["id"].as_str().unwrap();
            let delete = server.request("DELETE", &format!("{LIST}/{id}"));
            assert_eq!(with(delete, SECRET).send().status, 204);
            seen.push(id.to_owned());
        }
        match page["next"].as_u64() {
            Some(next) => query = format!("?cursor={next}"),
            None => break,
        }
    }
    let expected: Vec<_> = saved.iter().rev().map(|saved| saved.id.clone()).collect();
    assert_eq!(seen, expected);
    assert_eq!(listed(&server, SECRET), [""; 0]);
}

#[test]
fn an_owner_counts_extends_changes_and_deletes_without_the_token() {
    let server = TestServer::start();
    let saved = save(&server, SECRET, "old");
    let path = format!("{LIST}/{}", saved.id);
    let send = |method: &str, path: &str, body: &str, secret: &str| -> Response {
        with(server.request(method, path).body(body), secret).send()
    };
    // Another owner may do none of it
    for (method, path) in [
        ("GET", &format!("{path}/stats")),
        ("PATCH", &path),
        ("DELETE", &path),
    ] {
        let refused = send(method, path, r#"{"expires":"2h"}"#, OTHER);
        assert_eq!(refused.status, 403, "{method}");
        let detail = refused.text();
        assert!(
            detail.contains("This token or owner's secret does not belong"),
            "{detail}"
        );
    }
    assert_eq!(
        send("GET", &format!("{path}/stats"), "", SECRET).status,
        200
    );
    let changed = send(
        "PATCH",
        &path,
        r#"{"content":"new","expires":"2h"}"#,
        SECRET,
    );
    assert_eq!(changed.status, 200, "{changed:?}");
    server.advance(Duration::from_secs(7100));
    assert_eq!(server.get(&saved.raw()).text(), "new");
    assert_eq!(send("DELETE", &path, "", SECRET).status, 204);
    assert_eq!(server.get(&saved.path).status, 410);
    // And the token alone still does
    let again = save(&server, SECRET, "x");
    let delete = server.request("DELETE", &again.path);
    let delete = delete.header("X-Token", &again.token);
    assert_eq!(delete.send().status, 200);
}

#[test]
fn a_list_without_a_secret_is_401_and_a_malformed_one_is_400_and_saves_nothing() {
    let server = TestServer::start();
    let none = server.get(LIST);
    assert_eq!(
        (none.status, none.header("www-authenticate")),
        (401, Some("Bearer"))
    );
    for malformed in ["tbo_", "tbo_short", "tbo_0123456789abcdef 0123456789"] {
        for (method, path) in [("GET", LIST), ("POST", "/"), ("PUT", "/a.txt")] {
            let request = with(server.request(method, path).body("x"), malformed);
            assert_eq!(request.send().status, 400, "{method} {malformed}");
        }
    }
    assert_eq!(server.pastes(), 0);
    for cursor in ["", "x", "-1", "99999999999999999999"] {
        let request = server.request("GET", &format!("{LIST}?cursor={cursor}"));
        assert_eq!(with(request, SECRET).send().status, 400, "{cursor}");
    }
}

fn change(server: &TestServer, secret: &str, form: &str) -> Response {
    let request = server.request("POST", "/mine").form(form);
    with(request, secret).send()
}

#[test]
fn a_form_of_the_list_changes_all_named_pastes_or_none() {
    let server = TestServer::start();
    let mine = save(&server, SECRET, "mine");
    let other = save(&server, OTHER, "other");
    for (id, status) in [(&*other.id, 403), ("AAAAAAAAAAAA", 404)] {
        let form = format!("id={}&id={id}&do=delete", mine.id);
        assert_eq!(change(&server, SECRET, &form).status, status, "{id}");
        assert_eq!(listed(&server, SECRET), [&*mine.id]);
    }
}

#[test]
fn a_form_of_the_list_is_urlencoded_or_multipart_and_tells_what_was_done() {
    let server = TestServer::start();
    let [one, two, three] = ["1", "2", "3"].map(|text| save(&server, SECRET, text));
    let ids = format!("id={}&id={}&id={}", one.id, two.id, three.id);
    let change = |form: &str| {
        change(&server, SECRET, &format!("{ids}&{form}"))
            .text()
            .to_owned()
    };
    assert_eq!(change("do=extend&expires=2d"), "3 pastes changed.\n");
    // A form as `curl -F` sends it
    let request = server.request("POST", "/mine");
    let request = request.parts(&[("id", &one.id), ("do", "delete")]);
    assert_eq!(with(request, SECRET).send().text(), "1 paste deleted.\n");
    // A paste that was removed meanwhile is skipped
    for (form, told) in [
        (
            "do=extend&expires=2d",
            "2 pastes changed, 1 was already removed.\n",
        ),
        ("do=delete", "2 pastes deleted, 1 was already removed.\n"),
        (
            "do=delete",
            "Nothing to delete: all of them were already removed.\n",
        ),
    ] {
        assert_eq!(change(form), told);
    }
}
