//! wastebin: its JSON, its form and its password header.

use serde_json::{Value, json};

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::TestServer;

fn post(server: &TestServer, body: impl AsRef<[u8]>) -> Request {
    let request = server.request("POST", "/");
    request
        .header("Content-Type", "application/json")
        .body(body)
}

fn parsed(answer: &Response) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).unwrap()
}

/// The path in the answer to a save.
fn path(answer: &Response) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.header("x-token").is_some());
    parsed(answer)["path"].as_str().unwrap().to_owned()
}

#[test]
fn json_saves_the_text_with_its_options_and_answers_its_path() {
    let server = TestServer::start();
    let paste = json!({
        "text": "fn main() {}\n", "extension": "rs", "title": "mine", "expires": 60, "burn_after_reading": false,
        "password": null, "owner": 7
    });
    let answer = post(&server, paste.to_string()).send();
    let path = path(&answer);
    assert!(path.ends_with(".rs"), "{path}");
    assert_eq!(answer.header("x-expires"), Some("1767225660000"));
    assert_eq!(server.get(&path).body, b"fn main() {}\n");
    let page = server.browse(&path);
    assert!(page.text().contains("mine") && page.text().contains("Rust"));
}

#[test]
fn a_byte_order_mark_or_the_older_name_of_the_type_changes_nothing() {
    let server = TestServer::start();
    let paste = r#"{"text":"secret","burn_after_reading":true}"#;
    for (label, mark) in [("application/json", "\u{feff}"), ("text/json", "")] {
        let save = server.request("POST", "/").header("Content-Type", label);
        let path = path(&save.body(format!("{mark}{paste}")).send());
        assert_eq!(server.get(&path).status, 405, "{label}");
        assert_eq!(server.request("POST", &path).send().body, b"secret");
    }
}

#[test]
fn an_extension_that_is_unknown_or_no_ending_is_not_in_the_path() {
    let server = TestServer::start();
    for paste in [
        json!({"text": "x"}),
        json!({"text": "x", "extension": "../\r\nx"}),
        json!({"text": "x", "extension": "c#"}),
    ] {
        let answer = post(&server, paste.to_string()).send();
        assert_eq!(path(&answer).len(), "/0123456789ab".len());
    }
}

#[test]
fn json_that_burns_or_has_a_password_does_so() {
    let server = TestServer::start();
    let paste = json!({"text": "secret", "burn_after_reading": true, "password": "hunter2"});
    let path = path(&post(&server, paste.to_string()).send());
    assert_eq!(server.get(&path).status, 405);
    let read = || server.request("POST", &path);
    assert_eq!(read().send().status, 401);
    assert_eq!(
        read().header("wastebin-password", "wrong").send().status,
        401
    );
    let opened = read().header("wastebin-password", "hunter2").send();
    assert_eq!(opened.body, b"secret");
    assert_eq!(server.get(&path).status, 410);

    let locked = json!({"text": "secret", "password": "hunter2\n"});
    let answer = post(&server, locked.to_string()).send();
    let raw = format!("/raw{}", parsed(&answer)["path"].as_str().unwrap());
    let get = server.request("GET", &raw);
    assert_eq!(
        get.header("wastebin-password", "hunter2").send().body,
        b"secret"
    );
}

#[test]
fn a_wrong_or_repeated_member_is_refused_in_the_form_of_wastebin() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    for (body, status, word) in [
        (r#"{"text":""}"#.to_owned(), 400, "empty"),
        (
            format!(r#"{{"text":"{}"}}"#, "x".repeat(1025)),
            413,
            "1 KiB",
        ),
        (
            format!(r#"{{"text":"{}"}}"#, "x".repeat(1 << 20)),
            413,
            "1 KiB",
        ),
        (
            r#"{"text":"a","expires":true}"#.to_owned(),
            400,
            "`expires`",
        ),
        (r#"{"text":"a","expires":0}"#.to_owned(), 400, "zero"),
        (
            r#"{"text":"a","expires":99999999999}"#.to_owned(),
            400,
            "1 year",
        ),
        (
            r#"{"text":"a","burn_after_reading":[]}"#.to_owned(),
            400,
            "`burn`",
        ),
        (r#"{"text":"a","password":""}"#.to_owned(), 400, "password"),
        (
            r#"{"text":"a","text":"b"}"#.to_owned(),
            400,
            "more than one",
        ),
        (r#"{"text":"a","further":1}"#.to_owned(), 400, "`further`"),
    ] {
        for accept in ["*/*", "application/json"] {
            let answer = post(&server, &body).header("Accept", accept).send();
            let start = &body[..body.len().min(60)];
            assert_eq!(answer.status, status, "{start}: {answer:?}");
            if accept == "*/*" || body.len() < 2000 {
                let message = &parsed(&answer)["message"];
                assert!(
                    message.as_str().unwrap().contains(word),
                    "{start}: {message}"
                );
            }
        }
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn other_json_is_stored_as_it_is() {
    let server = TestServer::start();
    let many: Vec<String> = (0..100_000).map(|n| format!("\"m{n}\":1")).collect();
    let many = format!("{{{}}}", many.join(","));
    let max_is_enough = many.len() < 1 << 20;
    for body in [
        "{}",
        r#"{"text":1}"#,
        r#"{"text":["a"],"burn_after_reading":true}"#,
        r#"{"text":"a","password":"x""#,
        r#"{"text":"a"} {}"#,
        "not JSON",
        "{\"text\":\"\u{0}",
        "[1,2]",
        if max_is_enough { &many } else { "{}" },
    ] {
        let answer = post(&server, body).send();
        assert_eq!(answer.status, 201, "{answer:?}");
        let (_, id) = answer.text().trim_end().rsplit_once('/').unwrap();
        assert_eq!(server.get(&format!("/{id}")).body, body.as_bytes());
    }
}

#[test]
fn the_form_redirects_to_the_paste_and_its_expiry_is_in_seconds() {
    let server = TestServer::start();
    let form = |body: &str| {
        let request = server.request("POST", "/");
        request.form(body).send()
    };
    let answer = form("text=a%0D%0Ab&extension=rs&expires=60&password=&title=t");
    assert_eq!(answer.status, 400, "a program sends no empty password");
    let answer = form("text=a%0D%0Ab&extension=rs&expires=60&title=t");
    assert_eq!(answer.status, 303, "{answer:?}");
    assert_eq!(answer.header("x-expires"), Some("1767225660000"));
    let location = answer.header("location").unwrap();
    assert_eq!(format!("{location}\n"), answer.text());
    let (_, id) = location.rsplit_once('/').unwrap();
    assert_eq!(server.get(&format!("/{id}")).body, b"a\nb");

    let answer = form("text=secret&burn-after-reading=on");
    let (_, id) = answer.header("location").unwrap().rsplit_once('/').unwrap();
    assert_eq!(server.get(&format!("/{id}")).status, 405);
}
