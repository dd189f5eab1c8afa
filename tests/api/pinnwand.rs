//! pinnwand: version 1 of its API, as bpython and steck speak it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Response;
use crate::server::TestServer;
use crate::terminal::Terminal;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn post(server: &TestServer, path: &str, body: &Value) -> Response {
    let request = server.request("POST", path);
    let request = request.header("Content-Type", "application/json");
    request.body(body.to_string()).send()
}

fn file(name: &str, lexer: &str, content: &str) -> Value {
    json!({ "name": name, "content": content, "lexer": lexer })
}

/// The path of the paste that this body saves. Checks that the link in the response deletes it.
#[track_caller]
fn save(server: &TestServer, body: &Value) -> String {
    let answer = post(server, "/api/v1/paste", body);
    assert_eq!(answer.status, 200, "{answer:?}");
    let told: Value = serde_json::from_slice(&answer.body).unwrap();
    let (link, token) = (
        told["link"].as_str().unwrap(),
        answer.header("x-token").unwrap(),
    );
    assert_eq!(told["removal"], format!("{link}/delete#{token}"));
    link.strip_prefix(&format!("http://{}", server.addr))
        .unwrap()
        .to_owned()
}

#[test]
fn what_steck_sends_is_saved_with_its_name_its_lexer_and_its_end() {
    let server = TestServer::start();
    let files = [file("main.py", "python", "print(1)\n")];
    let path = save(&server, &json!({ "expiry": "1day", "files": files }));
    assert_eq!(server.get(&path).text(), "print(1)\n");
    let page = server.browse(&path);
    assert!(page.text().contains("main.py") && page.text().contains("Python"));
    server.advance(DAY);
    assert_eq!(server.get(&path).status, 410);
    // The lexer `text` says nothing, and so does the name of a pipe
    let files = [file("stdin", "text", "#!/bin/sh\necho\n")];
    let path = save(&server, &json!({ "expiry": "1week", "files": files }));
    let page = server.browse(&path);
    assert!(page.text().contains("Shell") && !page.text().contains("stdin"));
}

#[test]
fn several_files_are_one_paste() {
    let server = TestServer::start();
    let files = [
        file("a.c", "text", "int a;\n"),
        file("b.log", "text", "é\n"),
    ];
    let path = save(&server, &json!({ "expiry": "1day", "files": files }));
    assert_eq!(server.get(&format!("{path}/b.log")).text(), "é\n");
}

#[test]
fn what_has_no_meaning_here_is_refused_and_not_kept() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let path = "/api/v1/paste";
    let one = || json!([file("a", "text", "x")]);
    for (path, body, status) in [
        (path, json!({}), 400),
        (path, json!([]), 400),
        (path, json!({ "expiry": "1day", "files": [] }), 400),
        (
            path,
            json!({ "expiry": "1day", "files": [file("a", "text", "")] }),
            400,
        ),
        (path, json!({ "expiry": "soon", "files": one() }), 400),
        (path, json!({ "expiry": "400day", "files": one() }), 400),
        (
            path,
            json!({ "expiry": "1day", "files": one(), "burn": 1 }),
            400,
        ),
        (
            path,
            json!({ "expiry": "1day", "files": [{ "lexer": "text", "content": "x", "password": "y" }] }),
            400,
        ),
        (
            path,
            json!({ "expiry": "1day", "files": [file("", "c", "x"), file("b", "c", "x")] }),
            400,
        ),
        (
            path,
            json!({ "expiry": "1day", "files": [file("b", "c", "x"), file("b", "c", "x")] }),
            400,
        ),
        (
            path,
            json!({ "expiry": "1day", "files": [file("a", "text", &"x".repeat(1025))] }),
            413,
        ),
        (
            "/api/v1/paste?burn=1",
            json!({ "expiry": "1day", "files": one() }),
            400,
        ),
    ] {
        let answer = post(&server, path, &body);
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json")
        );
    }
    assert_eq!(server.get(path).status, 405);
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
#[ignore = "needs bpython of PyPI"]
fn bpython_saves_its_session() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    let paste = "from bpython.paste import PastePinnwand; \
         print(*PastePinnwand('$URL', '1week').paste('>>> print(1)\\n1\\n'), sep='\\n')";
    let printed = terminal.run(&format!("python3 -c \"{paste}\"")).text();
    let (link, removal) = printed.trim().split_once('\n').unwrap();
    assert!(removal.starts_with(&format!("{link}/delete#")));
    let (_, path) = link.split_at(format!("http://{}", server.addr).len());
    assert_eq!(server.get(path).text(), ">>> print(1)\n1\n");
}
